import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../e2e/support/eventually.ts";
import { observer } from "./observer.ts";

test("an object that is deleted while its status is awaited is named", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const kubeconfig = await cluster.kubeconfigFile();
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  const example = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop" } };
  const observed = observer(client, "default").observe([example], 60);
  const deleted = eventually(() => client.delete(ConfigMap, { namespace: "default", name: "shop" }));

  await expect(observed).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: "ConfigMap shop was deleted before its status came to rest",
  });
  await deleted;
});
