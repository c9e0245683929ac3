import { expect, test } from "vitest";
import { decodeBuiltIn } from "./decode-built-in.ts";
import { loadSchemas } from "./load-schemas.ts";
import type { BuiltinSchema } from "./schema-graph.ts";

test("decodeBuiltIn() drops an empty list, but not as a value of any type", async () => {
  const table = (await loadSchemas("apiextensions/v1"))!;
  const schema = { type: "array", default: [], required: [] };
  expect(decodeBuiltIn(schema, table.get("JSONSchemaProps")!).object).toEqual({ type: "array", default: [] });
});

async function schemaOf(module: string, type: string): Promise<BuiltinSchema> {
  return (await loadSchemas(module))!.get(type)!;
}

test("decodeBuiltIn() drops zeros that Go omits and adds those that it writes", async () => {
  const node = await schemaOf("core/v1", "Node");
  const { object } = decodeBuiltIn(
    {
      metadata: { name: "a", generateName: "", generation: 0 },
      status: { phase: "", conditions: [{}], addresses: [{ type: "Hostname" }], images: [{}] },
    },
    node,
  );
  expect(object).toEqual({
    metadata: { name: "a" },
    spec: {},
    status: {
      conditions: [{ type: "", status: "", lastHeartbeatTime: null, lastTransitionTime: null }],
      addresses: [{ type: "Hostname", address: "" }],
      images: [{ names: null }],
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: expect.objectContaining({ machineID: "", kubeletVersion: "" }),
    },
  });
});

test("decodeBuiltIn() sets the defaults that depend on no other field, in structs that the client omits, too", async () => {
  const { object } = decodeBuiltIn({}, await schemaOf("apps/v1", "Deployment"));
  expect(object["spec"]).toEqual({
    progressDeadlineSeconds: 600,
    replicas: 1,
    revisionHistoryLimit: 10,
    strategy: { type: "RollingUpdate" },
    template: {
      metadata: {},
      spec: expect.objectContaining({ restartPolicy: "Always", terminationGracePeriodSeconds: 30 }),
    },
  });
  const service = await schemaOf("core/v1", "Service");
  const ports = [
    { port: 1, protocol: "" },
    { port: 2, protocol: "UDP" },
  ];
  const decoded = decodeBuiltIn({ spec: { ports } }, service).object as { spec: { ports: unknown } };
  expect(decoded.spec.ports).toMatchObject([{ protocol: "TCP" }, { protocol: "UDP" }]);
});

test.each([
  [{ metadata: { uid: 1 } }, "number into Go struct field ObjectMeta.metadata.uid of type types.UID"],
  [
    { status: { conditions: [{ type: -1 }] } },
    "number into Go struct field NodeCondition.status.conditions.type of type v1.NodeConditionType",
  ],
  [
    { status: { capacity: "x" } },
    "string into Go struct field NodeStatus.status.capacity of type v1.ResourceList",
  ],
  // The first wrong type in the text is reported …
  [
    { metadata: { labels: 1, name: 2 } },
    "number into Go struct field ObjectMeta.metadata.labels of type map[string]string",
  ],
])("decodeBuiltIn() names Go's types: %j", async (object, why) => {
  const node = await schemaOf("core/v1", "Node");
  expect(() => decodeBuiltIn(object, node)).toThrow(`json: cannot unmarshal ${why}`);
});

test("an error of a custom decoder comes before values of a wrong type", async () => {
  const node = await schemaOf("core/v1", "Node");
  const metadata = { labels: 1, creationTimestamp: "x" };
  expect(() => decodeBuiltIn({ metadata }, node)).toThrow('parsing time "x" as');
});

test.each([
  [{ signerName: "a", request: "ab=c" }, "illegal base64 data at input byte 2"],
  // The first mistake in the text is reported, be it a wrong type or this.
  [{ request: "%", signerName: 1 }, "illegal base64 data at input byte 0"],
  [{ signerName: 1, request: "%" }, "cannot unmarshal number"],
])("decodeBuiltIn() refuses bytes that are not base64: %j", async (spec, why) => {
  const request = await schemaOf("certificates/v1", "CertificateSigningRequest");
  expect(() => decodeBuiltIn({ spec }, request)).toThrow(why);
});

test("decodeBuiltIn() keeps base64 with line breaks as it is", async () => {
  const request = await schemaOf("certificates/v1", "CertificateSigningRequest");
  const spec = { request: "YW\nJj\r\nZA=\n=\n", signerName: "a" };
  expect(decodeBuiltIn({ spec }, request).object).toEqual({ spec, status: {} });
});

test("decodeBuiltIn() names the embedded struct of a field, and makes null in a list the zero value", async () => {
  const volume = await schemaOf("core/v1", "PersistentVolume");
  expect(() => decodeBuiltIn({ spec: { rbd: 1.5 } }, volume)).toThrow(
    "PersistentVolumeSpec.spec.PersistentVolumeSource.rbd of type v1.RBDPersistentVolumeSource",
  );
  const { object } = decodeBuiltIn({ spec: { accessModes: ["ReadWriteOnce", null] } }, volume);
  expect(object).toMatchObject({ spec: { accessModes: ["ReadWriteOnce", ""] } });
});

test("decodeBuiltIn() writes times in UTC", async () => {
  const lease = await schemaOf("coordination/v1", "Lease");
  const decode = (renewTime: string) => decodeBuiltIn({ spec: { renewTime } }, lease).object["spec"];
  expect(decode("2026-01-01T02:00:00.000001+02:00")).toEqual({ renewTime: "2026-01-01T00:00:00.000001Z" });
  expect(() => decode("2026-01-01T00:00:00Z")).toThrow('cannot parse "Z" as ".000000"');
});

test.each(["2028-02-29T00:00:00.000000Z", "2030-04-30T23:59:59.999999Z", "2030-12-31T00:00:00.000000Z"])(
  "decodeBuiltIn() keeps the time %s",
  async (renewTime) => {
    const lease = await schemaOf("coordination/v1", "Lease");
    expect(decodeBuiltIn({ spec: { renewTime } }, lease).object["spec"]).toEqual({ renewTime });
  },
);

test.each(["2030-02-29T00:00:00.000000Z", "2030-04-31T00:00:00.000000Z", "2030-12-31T24:00:00.000000Z"])(
  "decodeBuiltIn() refuses the time %s, which doesn't exist",
  async (renewTime) => {
    const lease = await schemaOf("coordination/v1", "Lease");
    expect(() => decodeBuiltIn({ spec: { renewTime } }, lease)).toThrow("out of range");
  },
);

test("decodeBuiltIn() names unknown fields with indexes and keys, and wrong types without", async () => {
  const pod = await schemaOf("core/v1", "Pod");
  const containers = [{}, { ports: [{ nope: 1 }], resources: { limits: { cpu: "1" }, nope: 2 } }];
  expect(decodeBuiltIn({ spec: { containers, nope: 3 } }, pod).unknown).toEqual([
    "spec.containers[1].ports[0].nope",
    "spec.containers[1].resources.nope",
    "spec.nope",
  ]);
  expect(() => decodeBuiltIn({ spec: { containers: [{}, { env: [{ name: 5 }] }] } }, pod)).toThrow(
    "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.name of type string",
  );
});
