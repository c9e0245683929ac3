import type { JSONValue } from "@tsbuilder/apimachinery/json";
import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type KubernetesObject,
  type Quantity,
} from "@tsbuilder/apimachinery/meta";
import { type Client, type ClusterScopedName, keyOf, type NamespacedName, type Stored } from "./client.ts";
import { metadataOnly } from "./metadata-only.ts";

interface MySQLSpec {
  version: "8.0" | "8.4";
  replicas?: int32;
  storage: Quantity;
  extra?: { [name: string]: JSONValue };
  ports?: { name?: string; port: int32 }[];
}
interface MySQLStatus {
  readyReplicas?: int32;
  conditions?: Condition[];
}
interface MySQL extends CustomResource<MySQLSpec, MySQLStatus> {}
const MySQL = defineKind<MySQL>(
  { group: "apps.example.com", version: "v1" },
  { kind: "MySQL", plural: "mysqls" },
);

declare const client: Client;
declare const mysql: Stored<MySQL>;
const key = { namespace: "default", name: "db" };

// The kind determines the type of the result.
const found: MySQL | undefined = await client.find(MySQL, key);
const got: MySQL = await client.get(MySQL, {
  name: mysql.metadata.name,
  namespace: mysql.metadata.namespace,
});
const listed: MySQL[] = await client.list(MySQL, { labels: { app: "db" }, limit: 3 });
const metadata: KubernetesObject = await client.get(metadataOnly(MySQL), key);
void [found, got, listed, metadata];
// @ts-expect-error find() may return undefined.
const sure: MySQL = await client.find(MySQL, key);
// @ts-expect-error A key needs a name.
await client.find(MySQL, { namespace: "default" });
// @ts-expect-error The kind comes first, as a value made by defineKind.
await client.find({ apiVersion: "apps.example.com/v1", kind: "MySQL" }, key);
// @ts-expect-error Metadata-only objects have no spec.
void (await client.get(metadataOnly(MySQL), key)).spec;
void sure;

// Optional fields of a desired object take undefined, at any depth; required ones don't.
await client.apply(
  MySQL,
  {
    metadata: { name: mysql.metadata.name, namespace: mysql.metadata.namespace, labels: { a: undefined } },
    spec: {
      version: "8.4",
      storage: "1Gi",
      replicas: mysql.spec.replicas,
      ports: [{ port: 3306, name: undefined }],
      extra: { any: [1, { deep: null }] },
    },
  },
  { owner: mysql, adopt: true },
);
// @ts-expect-error A required field is missing.
await client.apply(MySQL, { metadata: { name: "db" }, spec: { version: "8.4" } });
// @ts-expect-error A required field is undefined.
await client.apply(MySQL, { metadata: { name: "db" }, spec: { version: undefined, storage: "1Gi" } });
// @ts-expect-error Not a valid version.
await client.apply(MySQL, { metadata: { name: "db" }, spec: { version: "5.7", storage: "1Gi" } });
// @ts-expect-error A misspelt field.
await client.apply(MySQL, { metadata: { name: "db" }, spec: { version: "8.4", storage: "1Gi", replica: 3 } });
await client.create(MySQL, {
  metadata: { generateName: "db-" },
  spec: { version: "8.4", storage: "1Gi" },
  // @ts-expect-error The status belongs to the server.
  status: { readyReplicas: 1 },
});

// patchStatus() takes the whole status.
await client.patchStatus(MySQL, mysql, { ...mysql.status, readyReplicas: mysql.spec.replicas });
// @ts-expect-error Not a field of the status.
await client.patchStatus(MySQL, mysql, { replicas: 1 });
// @ts-expect-error Not the type of the field.
await client.patchStatus(MySQL, mysql, { readyReplicas: "1" });
await client.applyStatus(MySQL, mysql, { conditions: [] });

// patch() edits a draft, or sends a raw patch.
await client.patch(MySQL, mysql, (draft) => {
  draft.spec.replicas = 3;
});
await client.patch(MySQL, mysql, (draft) => {
  // @ts-expect-error Not the type of the field.
  draft.spec.replicas = "3";
});
await client.patch(MySQL, key, { json: [{ op: "test", path: "/spec/replicas", value: 1 }] });
await client.patch(MySQL, key, { merge: { spec: { replicas: 3 } } });
// @ts-expect-error A draft needs an object that was read.
await client.patch(MySQL, key, (draft) => draft);
// @ts-expect-error A JSON patch without a value.
await client.patch(MySQL, key, { json: [{ op: "add", path: "/spec/replicas" }] });

// @ts-expect-error A function that returns a new object would change nothing.
await client.patch(MySQL, mysql, (draft) => ({ ...draft, spec: { ...draft.spec, replicas: 3 } }));
// @ts-expect-error Nobody waits for a promise.
await client.patch(MySQL, mysql, async (draft) => {
  draft.spec.replicas = 3;
});

// An object that was read is frozen, at any depth, and accepted wherever its own type is.
const read = await client.get(MySQL, key);
declare function describe(object: MySQL): string;
describe(read);
await client.patchStatus(MySQL, read, { ...read.status, readyReplicas: 1 });
await client.update(MySQL, { ...read, spec: { ...read.spec, replicas: 3 } });
await client.patch(MySQL, read, (draft) => {
  draft.spec.ports?.push({ port: 1 });
});
const copy: MySQL = structuredClone(read);
copy.spec.replicas = 3;
copy.spec.ports?.push({ port: 1 });
// @ts-expect-error Frozen.
read.spec.replicas = 3;
// @ts-expect-error Frozen.
(read.metadata.labels ??= {})["app"] = "db";
// @ts-expect-error Frozen.
read.spec.ports![0]!.port = 1;
for (const one of await client.list(MySQL)) {
  // @ts-expect-error Frozen.
  one.spec.replicas = 3;
}
const applied = await client.apply(MySQL, {
  metadata: { name: "db" },
  spec: { version: "8.4", storage: "1Gi" },
});
// @ts-expect-error What was applied may come from the cache.
applied.spec.replicas = 3;

const deleted: boolean = await client.delete(MySQL, mysql, { propagationPolicy: "Foreground" });
void deleted;
// @ts-expect-error Not a valid policy.
await client.delete(MySQL, key, { propagationPolicy: "Later" });

for await (const event of client.watch(MySQL)) {
  // @ts-expect-error A bookmark has no spec.
  void event.object.spec;
  if (event.type !== "BOOKMARK") void event.object.spec.storage;
}

// A key has a namespace or none, as its object has, and nothing else of the metadata.
const keyOfMySQL: NamespacedName = keyOf(mysql);
declare const tenant: Stored<KubernetesObject, ClusterScopedName>;
const keyOfTenant: ClusterScopedName = keyOf(tenant);
void [keyOfMySQL, keyOfTenant, keyOf(mysql.metadata).namespace.length];
// @ts-expect-error A key has no uid.
void keyOf(mysql).uid;
