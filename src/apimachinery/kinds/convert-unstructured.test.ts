import { expect, test } from "vitest";
import { convertUnstructured } from "./convert-unstructured.ts";
import { loadSchemas } from "./load-schemas.ts";

test.each([
  [{ metadata: { labels: 0 } }, "cannot restore map from int64"],
  [{ metadata: { generateName: 65536 } }, "cannot convert int64 to string"],
  [{ metadata: { uid: 1 } }, "cannot convert int64 to types.UID"],
  [{ metadata: { uid: [] } }, "unrecognized type: string"],
  [{ metadata: { deletionGracePeriodSeconds: { a: "b" } } }, "unrecognized type: int64"],
  [{ metadata: { generation: 1.5 } }, "cannot convert float64 to int64"],
  [{ metadata: { deletionTimestamp: [null] } }, "json: cannot unmarshal array into Go value of type string"],
  [{ metadata: "x" }, "cannot restore struct from: string"],
  [{ binaryData: { a: "%" } }, "error decoding from json: illegal base64 data at input byte 0"],
  [{ immutable: "x" }, "unrecognized type: bool"],
  // In the order of Go's declaration.
  [{ data: 1, metadata: { finalizers: "x", labels: [] } }, "cannot restore map from slice"],
])("convertUnstructured() says in Go's words why it can't convert %j", async (object, why) => {
  const schema = (await loadSchemas("core/v1"))!.get("ConfigMap")!;
  expect(convertUnstructured(object, schema)).toBe(why);
});

test("convertUnstructured() accepts what Go converts", async () => {
  const schema = (await loadSchemas("core/v1"))!.get("ConfigMap")!;
  expect(
    convertUnstructured({ metadata: { labels: null }, data: { a: null }, x: 1 }, schema),
  ).toBeUndefined();
});

test.each([
  [4294967301, 5],
  [2147483648, -2147483648],
  [-2147483649, 2147483647],
  [1e30, 0],
  [2 ** 63 + 2048, 0],
  [7, 7],
])("convertUnstructured() cuts %d to the 32 bits %d", async (sent, cut) => {
  const schema = (await loadSchemas("apps/v1"))!.get("Deployment")!;
  const containers = [{ name: "a", ports: [{ containerPort: sent }] }];
  const object = { spec: { replicas: sent, template: { spec: { containers } } } };
  expect(convertUnstructured(object, schema)).toBeUndefined();
  expect([object.spec.replicas, containers[0]!.ports[0]!.containerPort]).toEqual([cut, cut]);
});
