import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeProtobuf } from "../../../e2e/support/cluster/encode-protobuf.ts";
import { type DecodedObject, decodeProtobuf, MalformedProtobufError } from "./index.ts";

const roundTrip = async (object: DecodedObject): Promise<DecodedObject> =>
  decodeProtobuf((await encodeProtobuf(object))!);

/** A length-delimited field, encoded by hand. */
const field = (number: number, content: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, Buffer.byteLength(content)]), Buffer.from(content)]);

const envelope = (apiVersion: string, kind: string, raw: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    field(1, Buffer.concat([field(1, apiVersion), field(2, kind)])),
    field(2, raw),
  ]);

test("decodeProtobuf() decodes what kubectl sends", async () => {
  const metadata = Buffer.concat([field(1, "settings"), field(2, ""), field(3, "default")]);
  const entry = Buffer.concat([field(1, "mode"), field(2, "fast")]);
  const body = envelope("v1", "ConfigMap", Buffer.concat([field(1, metadata), field(2, entry)]));
  expect(await decodeProtobuf(body)).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace: "default" },
    data: { mode: "fast" },
  });
});

test("every type of value survives encoding and decoding", async () => {
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      creationTimestamp: "2024-05-01T12:00:00Z",
      labels: { app: "web", "": "empty" },
      managedFields: [{ manager: "kubectl", fieldsV1: { "f:spec": { "f:replicas": {} } } }],
    },
    spec: {
      replicas: 0,
      paused: true,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 } },
      template: {
        metadata: {},
        spec: {
          terminationGracePeriodSeconds: -1,
          containers: [
            {
              name: "web",
              image: "nginx",
              env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "mode" } } }],
              resources: { limits: { cpu: "500m", memory: "1Gi" } },
              livenessProbe: { httpGet: { port: "http", path: "/" }, periodSeconds: 5 },
            },
          ],
          volumes: [{ name: "cache", emptyDir: { sizeLimit: "1Gi" } }],
        },
      },
    },
    status: {},
  };
  expect(await roundTrip(deployment)).toEqual(deployment);
});

test.each([
  [{ apiVersion: "v1", kind: "Secret", data: { key: Buffer.from([0, 255]).toString("base64") } }],
  [
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      spec: { renewTime: "2024-05-01T12:00:00.123457Z" },
    },
  ],
  // The first moment that seconds count is a time as any other.
  [{ apiVersion: "v1", kind: "Pod", metadata: { creationTimestamp: "1970-01-01T00:00:00Z" } }],
  [
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      spec: { renewTime: "1970-01-01T00:00:00.000000Z" },
    },
  ],
  [{ apiVersion: "policy/v1", kind: "Eviction", deleteOptions: { gracePeriodSeconds: 0 } }],
  [
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "jane", extra: { scopes: ["a", "b"], none: [] } },
      status: { allowed: false },
    },
  ],
  [
    {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      data: { spec: { replicas: 3 } },
      revision: 9007199254740991,
    },
  ],
  [{ apiVersion: "apps/v1", kind: "DeleteOptions", propagationPolicy: "Background" }],
])("%j survives", async (object) => {
  expect(await roundTrip(object)).toMatchObject(object);
});

test("a CRD's recursive schema survives with its union fields", async () => {
  const schema = {
    type: "object",
    description: "A database",
    required: ["spec"],
    properties: {
      spec: { type: "object", additionalProperties: { type: "string" } },
      free: { type: "object", additionalProperties: false, "x-kubernetes-preserve-unknown-fields": true },
      list: { type: "array", items: { type: "integer", default: 3, enum: [1, "two", null] } },
    },
  };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }] },
  };
  expect(await roundTrip(crd)).toMatchObject(crd);
});

test("unknown fields are skipped", async () => {
  const unknown = Buffer.concat([
    field(14, "x"),
    Buffer.from([15 * 8, 1]),
    Buffer.from([15 * 8 + 1, 0, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from([15 * 8 + 5, 0, 0, 0, 0]),
  ]);
  expect(await decodeProtobuf(envelope("v1", "Namespace", unknown))).not.toHaveProperty("x");
});

test.each([
  ["JSON", Buffer.from("{}"), "expected prefix [107 56 115 0]"],
  ["a kind that is not built in", envelope("example.com/v1", "MySQL", Buffer.alloc(0)), 'no kind "MySQL"'],
  ["a field that ends too early", envelope("v1", "Pod", Buffer.from([0x0a, 5, 0])), "unexpected EOF"],
  ["a number where a message belongs", envelope("v1", "Pod", Buffer.from([0x08, 1])), "wrong wireType"],
  [
    "a time after the year 9999",
    envelope("v1", "Pod", field(1, field(8, Buffer.from([8, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20])))),
    "year is outside of range",
  ],
  ["a group, which no one writes", envelope("v1", "Pod", Buffer.from([99, 1])), "illegal wireType 3"],
])("decodeProtobuf() refuses %s", async (_name, body, message) => {
  await expect(decodeProtobuf(body)).rejects.toThrow(message);
  await expect(decodeProtobuf(body)).rejects.toBeInstanceOf(MalformedProtobufError);
});

test("decodeProtobuf() refuses messages nested deep enough to overflow the stack", async () => {
  let nested: Buffer = Buffer.alloc(0);
  for (let depth = 0; depth < 200; depth++) {
    // `not` of a schema, field 28.
    const length =
      nested.length < 0x80 ? [nested.length] : [(nested.length & 0x7f) | 0x80, nested.length >> 7];
    nested = Buffer.concat([Buffer.from([0xe2, 0x01, ...length]), nested]);
  }
  const { MessageCodecs } = await import("./protobuf.ts");
  const { WireReader } = await import("./wire.ts");
  const { loadFieldNumbers, loadSchemas } = await import("@tsbuilder/apimachinery/kinds");
  const codecs = new MessageCodecs((await loadFieldNumbers("apiextensions/v1"))!);
  const schema = (await loadSchemas("apiextensions/v1"))!.get("JSONSchemaProps")!;
  expect(() => codecs.of(schema).decode(new WireReader(nested))).toThrow("nested too deeply");
});

test("encodeProtobuf() returns undefined for a kind that is not built in", async () => {
  expect(await encodeProtobuf({ apiVersion: "example.com/v1", kind: "MySQL" })).toBeUndefined();
});

const folder = findFixtures();
if (!folder) {
  process.stderr.write(
    "k8s.io/api is not in Go's module cache: the tests with its recorded messages are skipped\n",
  );
}

describe.runIf(folder)("Kubernetes' own recorded messages", () => {
  const files = folder ? readdirSync(folder).filter((file) => file.endsWith(".pb") && isServed(file)) : [];

  test.each(files)("%s is decoded and encoded byte by byte", async (file) => {
    const bytes = readFileSync(join(folder!, file));
    const object = JSON.parse(
      readFileSync(join(folder!, file.replace(".pb", ".json")), "utf8"),
    ) as DecodedObject;
    expect(await decodeProtobuf(bytes)).toEqual(object);
    expect((await encodeProtobuf(object))!.equals(bytes)).toBe(true);
  });
});

/** Stable versions, without those that are never a request body: query options, and kinds without a resource. */
function isServed(file: string): boolean {
  if (/\.v\d+(?:alpha|beta)\d/u.test(file) || /(?<!Delete)Options\.pb$/u.test(file)) return false;
  return !/\.(?:AdmissionReview|ImageReview|PodStatusResult|RangeAllocation|SerializedReference|List|WatchEvent|APIVersions|APIGroup(?:Discovery)?(?:List)?)\.pb$/u.test(
    file,
  );
}

function findFixtures(): string | undefined {
  try {
    const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).trim();
    const versions = readdirSync(join(cache, "k8s.io")).filter((name) => name.startsWith("api@v0.36."));
    return versions
      .map((name) => join(cache, "k8s.io", name, "testdata/HEAD"))
      .find((path) => existsSync(path));
  } catch {
    return undefined;
  }
}
