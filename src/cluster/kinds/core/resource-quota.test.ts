import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import type { ResourceQuota } from "@tsbuilder/apimachinery/k8s/core/v1";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import type { Pod } from "../../control-loop/api/core.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["resourcequota"] });
  await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const used = (name: string) => objects().get("resourcequotas", "shop", name) as ResourceQuota | undefined;

function limit(name: string, hard: Record<string, string>, more: object = {}) {
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name, namespace: "shop" },
    spec: { hard, ...more },
  };
  return cluster.install(quota);
}

function pod(name: string, cpu: string): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop" },
    spec: { containers: [{ name: "main", image: "nginx:1.29", resources: { requests: { cpu } } }] },
  };
}

describe("resourceQuotaController()", () => {
  it("counts existing objects, admits what is left, and releases deleted objects", async () => {
    await objects().create("tester", pod("first", "300m"));
    await limit("compute", { pods: "2", "requests.cpu": "1", "count/configmaps": "5" });
    await eventually(() =>
      expect(used("compute")?.status).toEqual({
        hard: { pods: "2", "requests.cpu": "1", "count/configmaps": "5" },
        used: { pods: "1", "requests.cpu": "300m", "count/configmaps": "0" },
      }),
    );
    await expect(objects().create("tester", pod("large", "800m"))).rejects.toThrow(
      "exceeded quota: compute, requested: requests.cpu=800m, used: requests.cpu=300m, limited: requests.cpu=1",
    );
    await objects().create("tester", pod("second", "700m"));
    await expect(objects().create("tester", pod("third", "0"))).rejects.toThrow("requested: pods=1");
    await objects().delete("tester", pod("first", "300m"), { gracePeriodSeconds: 0 });
    await eventually(() =>
      expect(used("compute")?.status?.used).toMatchObject({ pods: "1", "requests.cpu": "700m" }),
    );
    await objects().create("tester", pod("third", "300m"));
  });

  it("no longer counts a pod that has finished", async () => {
    const { status: _, ...first } = await objects().create("tester", pod("first", "1"));
    await limit("compute", { pods: "1", "count/pods": "9" });
    await eventually(() => expect(used("compute")?.status?.used).toEqual({ pods: "1", "count/pods": "1" }));
    await objects().update("tester", { ...first, status: { phase: "Succeeded" } }, "status");
    await eventually(() => expect(used("compute")?.status?.used).toEqual({ pods: "0", "count/pods": "1" }));
  });

  it("admits no more than is left when many are created at once", async () => {
    await limit("few", { "count/configmaps": "3" });
    await eventually(() => expect(used("few")?.status?.used).toEqual({ "count/configmaps": "0" }));
    const attempts = Array.from({ length: 20 }, (_, index) =>
      objects().create("tester", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `map-${index}`, namespace: "shop" },
      }),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(objects().list("configmaps", "shop")).toHaveLength(3);
  });

  it("counts custom resources, and only pods in a scope", async () => {
    await limit("best", { pods: "4" }, { scopes: ["BestEffort"] });
    await limit("widgets", { "count/leases.coordination.k8s.io": "1" });
    await eventually(() =>
      expect(used("widgets")?.status?.used).toEqual({ "count/leases.coordination.k8s.io": "0" }),
    );
    await objects().create("tester", pod("first", "1"));
    await objects().create("tester", {
      ...pod("second", "1"),
      spec: { containers: [{ name: "a", image: "b" }] },
    });
    await eventually(() => expect(used("best")?.status?.used).toEqual({ pods: "1" }));
    const lease = (name: string) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name, namespace: "shop" },
    });
    await objects().create("tester", lease("a"));
    await expect(objects().create("tester", lease("b"))).rejects.toThrow("exceeded quota: widgets");
  });
});
