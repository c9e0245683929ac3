import { startTestCluster } from "@tsbuilder/cluster/testing";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { observer } from "./trial.ts";

/** Returns an example whose YAML has `namespace:` without a value. */
const example = (name: string) => {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: null as never } };
};

/** Returns a client of a cluster that runs until the end of the test. */
async function clusterClient(): Promise<Client> {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const kubeconfig = await cluster.kubeconfigFile();
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  return client;
}

test("an object that is deleted while its status is awaited is named", async () => {
  const client = await clusterClient();
  const observed = observer(client, "default").observe([example("shop")], { seconds: 60 });
  const deleted = eventually(() => client.delete(ConfigMap, { namespace: "default", name: "shop" }));

  await expect(observed).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "ConfigMap shop was deleted before its status came to rest",
  });
  await deleted;
});

test("once it is stopped, it creates no further object, and deletes the one that was being created", async () => {
  const client = await clusterClient();
  const stop = new AbortController();
  const stopping: Client = new Proxy(client, {
    get(target, name) {
      if (name === "create") queueMicrotask(() => stop.abort(new Error("stopped")));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const { observe, deleteCreated } = observer(stopping, "default");

  await expect(
    observe([example("first"), example("second")], { seconds: 60, signal: stop.signal }),
  ).rejects.toThrow("stopped");
  const named = async () =>
    (await client.list(ConfigMap, { namespace: "default" })).map(({ metadata }) => metadata.name);
  const created = await named();
  await deleteCreated();

  expect(created).toContain("first");
  expect(created).not.toContain("second");
  expect(await named()).not.toContain("first");
});

test("once it is stopped, it no longer waits for a status", async () => {
  const client = await clusterClient();
  const stop = new AbortController();
  const { observe } = observer(client, "default");
  const observed = observe([example("shop")], { seconds: 600, signal: stop.signal });
  const stopped = eventually(async () => {
    await client.get(ConfigMap, { namespace: "default", name: "shop" });
    stop.abort(new Error("stopped"));
  });

  await expect(observed).rejects.toThrow("stopped");
  await stopped;
});
