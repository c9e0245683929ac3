import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { namespaces } from "../../control-loop/api/core.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["namespace", "serviceaccount"] });
  await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const shop = () => objects().get(namespaces, undefined, "shop");
const configMap = (finalizers: readonly string[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "prices", namespace: "shop", finalizers },
});
const condition = (type: string) => shop()?.status?.conditions?.find((it) => it.type === type);

describe("namespaceController()", () => {
  it("deletes everything in a namespace, including custom resources", async () => {
    await cluster.installCRDs(thingDefinition);
    await cluster.install(
      configMap([]),
      { apiVersion: "v1", kind: "Secret", metadata: { name: "key", namespace: "shop" } },
      { apiVersion: "test.io/v1", kind: "Thing", metadata: { name: "it", namespace: "shop" } },
    );
    await objects().delete("tester", shop()!);
    await eventually(() => expect(shop()).toBeUndefined());
    const left = objects()
      .resources()
      .filter(({ namespaced }) => namespaced)
      .flatMap(({ resource }) => objects().list(resource, "shop"));
    expect(left).toEqual([]);
  });

  it("reports what keeps a namespace from being removed", async () => {
    await cluster.install(configMap(["test.io/hold"]));
    await objects().delete("tester", shop()!);
    await eventually(() =>
      expect(condition("NamespaceFinalizersRemaining")).toMatchObject({
        status: "True",
        reason: "SomeFinalizersRemain",
        message:
          "Some content in the namespace has finalizers remaining: test.io/hold in 1 resource instances",
      }),
    );
    expect(shop()?.status?.phase).toBe("Terminating");
    expect(condition("NamespaceContentRemaining")).toMatchObject({
      status: "True",
      message: "Some resources are remaining: configmaps. has 1 resource instances",
    });
    await cluster.install(configMap([]));
    await eventually(() => expect(shop()).toBeUndefined());
  });

  it("deletes pods first", async () => {
    await cluster.install(configMap([]), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "till", namespace: "shop", finalizers: ["test.io/hold"] },
      spec: { containers: [{ name: "till", image: "till:1" }] },
    });
    await objects().delete("tester", shop()!);
    await eventually(() => expect(condition("NamespaceContentRemaining")?.status).toBe("True"));
    expect(objects().get("configmaps", "shop", "prices")).toBeDefined();
    expect(objects().get("pods", "shop", "till")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("does not list a namespace again for each object that is deleted", async () => {
    const count = 100;
    const names = Array.from({ length: count }, (_, index) => `till-${index}`);
    await cluster.install(
      { apiVersion: "v1", kind: "Node", metadata: { name: "desk" } },
      ...names.map((name) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name, namespace: "shop" },
        spec: { nodeName: "desk", containers: [{ name: "it", image: "it:1" }] },
      })),
    );
    let writes = 0;
    const unwatch = objects().watch(({ resource }) => {
      if (resource === namespaces) writes++;
    });
    await objects().delete("tester", shop()!);
    // As kubelets do, one after the other, each write in its own turn.
    for (const name of names) {
      await eventually(() =>
        expect(objects().get("pods", "shop", name)?.metadata.deletionTimestamp).toBeDefined(),
      );
      await objects().delete("node", objects().get("pods", "shop", name)!, { gracePeriodSeconds: 0 });
      await new Promise(setImmediate);
    }
    await eventually(() => expect(shop()).toBeUndefined());
    unwatch();
    expect(writes).toBeLessThan(count / 4);
  });
});

const thingDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.test.io" },
  spec: {
    group: "test.io",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
