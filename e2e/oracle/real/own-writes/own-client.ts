import { type ClusterConfig, createLogger, Manager, metadataOnly, setCondition } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { onTestFinished } from "vitest";

/** A client that runs the commands of probes. */
export interface ProbedClient {
  run(command: Command, probe: string): Promise<string>;
}

type Command = "prepare" | "write" | "read";

/** Starts the client of a manager, which runs the same probes as `main.go`, until the test ends. */
export async function startOwnClient(config: ClusterConfig, namespace: string): Promise<ProbedClient> {
  const manager = new Manager({
    name: "probes",
    config,
    logger: createLogger({ write() {} }),
    cache: { missingInformer: "create" },
  });
  manager.cache.keepOnly(Secret, { labels: "cached=true" });
  manager.cache.addIndex(ConfigMap, "data.state", ({ data }) => [data?.["state"] ?? ""]);
  const running = manager.start();
  onTestFinished(async () => {
    manager.stop();
    await running;
  });
  await manager.started;
  const probes = probesOf(manager.client, namespace);
  return { run: async (command, probe) => (await probes[probe]![command]()) ?? "" };
}

type Run = () => Promise<string | void>;

function probesOf(
  client: Manager["client"],
  namespace: string,
): { readonly [name: string]: { readonly [command in Command]: Run } } {
  const key = (name: string) => ({ namespace, name });
  const find = (name: string) => client.find(ConfigMap, key(name));
  const metadataOfConfigMaps = metadataOnly(ConfigMap);
  const create = async (
    name: string,
    state = "old",
    { finalizers, dryRun }: { finalizers?: string[]; dryRun?: boolean } = {},
  ) => {
    const metadata = { ...key(name), ...(finalizers && { finalizers }) };
    await client.create(ConfigMap, { metadata, data: { state } }, { dryRun });
  };
  /** Creates an object and reads it, so that its kind is watched. */
  const cached =
    (name: string, finalizers?: string[]): Run =>
    async () => {
      await create(name, "old", { ...(finalizers && { finalizers }) });
      await client.get(ConfigMap, key(name));
    };
  const cachedSecret =
    (name: string, labels: { [key: string]: string }): Run =>
    async () => {
      await client.create(Secret, { metadata: { ...key(name), labels } });
      await client.get(Secret, key(name));
    };
  const update = (name: string) => async () => {
    const object = await client.get(ConfigMap, key(name));
    await client.update(ConfigMap, { ...object, data: { state: "new" } });
  };
  const state = (name: string) => async () => (await find(name))?.data?.["state"];
  const listed =
    (name: string, fields: { [path: string]: string } = {}): Run =>
    async () => {
      const objects = await client.list(ConfigMap, { namespace, fields });
      return objects.find(({ metadata }) => metadata.name === name)?.data?.["state"] ?? "old";
    };
  return {
    "create, then list": {
      prepare: cached("beside"),
      write: () => create("created", "new"),
      read: listed("created"),
    },
    "update, then get": { prepare: cached("updated"), write: update("updated"), read: state("updated") },
    "patch, then get": {
      prepare: cached("patched"),
      async write() {
        const object = await client.get(ConfigMap, key("patched"));
        await client.patch(ConfigMap, object, (draft) => void (draft.data = { state: "new" }));
      },
      read: state("patched"),
    },
    "status, then get": {
      async prepare() {
        await client.create(Service, { metadata: key("status"), spec: { ports: [{ port: 80 }] } });
        await client.get(Service, key("status"));
      },
      async write() {
        const service = await client.get(Service, key("status"));
        const condition = { type: "Probed", status: "True", reason: "Probed", message: "" } as const;
        await client.patchStatus(Service, service, { conditions: setCondition([], condition) });
      },
      read: async () => newIf((await client.get(Service, key("status"))).status?.conditions !== undefined),
    },
    "apply, then list by index": {
      prepare: cached("applied"),
      async write() {
        await client.apply(ConfigMap, { metadata: key("applied"), data: { state: "new" } });
      },
      read: listed("applied", { "data.state": "new" }),
    },
    "delete, then get": {
      prepare: cached("deleted"),
      async write() {
        await client.delete(ConfigMap, key("deleted"));
      },
      read: async () => newIf((await find("deleted")) === undefined),
    },
    "delete with a finalizer, then get": {
      prepare: cached("finalized", ["example.com/stays"]),
      async write() {
        await client.delete(ConfigMap, key("finalized"));
      },
      read: async () => newIf((await find("finalized"))?.metadata.deletionTimestamp !== undefined),
    },
    "delete of all, then get": {
      prepare: cachedSecret("one-of-all", { cached: "true", all: "true" }),
      write: () => client.deleteAllOf(Secret, { namespace, labels: "all=true" }),
      read: async () => newIf((await client.find(Secret, key("one-of-all"))) === undefined),
    },
    "create and delete, then get": {
      prepare: cached("besides"),
      async write() {
        await create("short-lived");
        await client.delete(ConfigMap, key("short-lived"));
      },
      read: async () => newIf((await find("short-lived")) === undefined),
    },
    "update, then get of the metadata": {
      async prepare() {
        await create("metadata");
        await client.get(metadataOfConfigMaps, key("metadata"));
      },
      async write() {
        const object = await client.get(ConfigMap, key("metadata"));
        const metadata = { ...object.metadata, labels: { state: "new" } };
        await client.update(ConfigMap, { ...object, metadata });
      },
      read: async () =>
        newIf((await client.get(metadataOfConfigMaps, key("metadata"))).metadata.labels !== undefined),
    },
    "scale, then get": {
      async prepare() {
        const labels = { app: "scaled" };
        await client.create(Deployment, {
          metadata: key("scaled"),
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: { containers: [{ name: "web", image: "example.com/web" }] },
            },
          },
        });
        await client.get(Deployment, key("scaled"));
      },
      async write() {
        await client
          .subresource(Deployment, key("scaled"), "scale")
          .patch({ merge: { spec: { replicas: 1 } } });
      },
      read: async () => newIf((await client.get(Deployment, key("scaled"))).spec?.replicas === 1),
    },
    "create of what the cache leaves out, then list": {
      prepare: cachedSecret("cached", { cached: "true" }),
      async write() {
        await client.create(Secret, { metadata: key("left-out") });
      },
      read: async () => {
        const secrets = await client.list(Secret, { namespace });
        return secrets.some(({ metadata }) => metadata.name === "left-out") ? "new" : "old";
      },
    },
    "dry run, then list": {
      prepare: cached("wet"),
      write: () => create("dry", "new", { dryRun: true }),
      read: listed("dry"),
    },
    "another process's write, then get": {
      prepare: cached("foreign"),
      write: async () => {},
      read: state("foreign"),
    },
    "another process's write and an own one of another object, then list": {
      async prepare() {
        await create("foreign-too");
        await cached("own")();
      },
      write: update("own"),
      read: listed("foreign-too"),
    },
  };
}

function newIf(condition: boolean): string {
  return condition ? "new" : "old";
}
