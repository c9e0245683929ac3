import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type Context, type Request, TerminalError } from "../index.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestManager } from "../testing/start-test-manager.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const Secret = defineKind({ group: "", version: "v1" }, { kind: "Secret", plural: "secrets" });

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

describe("a manager's controllers", () => {
  test("a controller makes a child of what it watches, and makes it again when somebody deletes it", async () => {
    const { client, stop } = await startTestManager(
      cluster.kubeconfig,
      (manager) =>
        void manager
          .controllerFor(ConfigMap)
          .named("parent")
          .owns(Secret)
          .complete({
            async reconcile(request: Request) {
              const parent = await manager.client.find(ConfigMap, request);
              if (parent?.metadata.labels?.["parent"] !== "yes") return;
              const { name, namespace } = parent.metadata;
              await manager.client.apply(
                Secret,
                { metadata: { name: `${name}-child`, namespace } },
                { owner: parent },
              );
            },
          }),
    );
    const key = { namespace: "default", name: "p1-child" };
    await client.create(ConfigMap, {
      metadata: { name: "p1", namespace: "default", labels: { parent: "yes" } },
    });
    const first = await eventually(() => client.find(Secret, key));
    expect(first.metadata.ownerReferences).toMatchObject([
      { kind: "ConfigMap", name: "p1", controller: true },
    ]);
    await client.delete(Secret, key);
    await eventually(async () => {
      const again = await client.find(Secret, key);
      return again !== undefined && again.metadata.uid !== first.metadata.uid;
    });
    await stop();
  });
});
void [TerminalError, {} as Context];
