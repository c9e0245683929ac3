import { expect, test } from "vitest";
import { explainUnstructured } from "./explain-unstructured.ts";
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
])("explainUnstructured() says in Go's words why it can't convert %j", async (object, why) => {
  const schema = (await loadSchemas("core/v1"))!.get("ConfigMap")!;
  expect(explainUnstructured(object, schema)).toBe(why);
});

test("explainUnstructured() accepts what Go converts", async () => {
  const schema = (await loadSchemas("core/v1"))!.get("ConfigMap")!;
  expect(
    explainUnstructured({ metadata: { labels: null }, data: { a: null }, x: 1 }, schema),
  ).toBeUndefined();
});
