import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { configMaps, serviceAccounts } from "../../control-loop/api/core.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["serviceaccount"] });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const account = (namespace: string) => objects().get(serviceAccounts, namespace, "default");
const certificate = (namespace: string) => objects().get(configMaps, namespace, "kube-root-ca.crt");

describe("serviceAccountController()", () => {
  it("creates a ServiceAccount and the CA certificate in each namespace", async () => {
    await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    for (const namespace of ["default", "shop"]) {
      await eventually(() => expect(account(namespace)).toBeDefined());
      await eventually(() => expect(Object.keys(certificate(namespace)?.data ?? {})).toEqual(["ca.crt"]));
    }
  });

  it("restores what is deleted or changed", async () => {
    await eventually(() => expect(certificate("default")).toBeDefined());
    const first = account("default")!;
    const data = certificate("default")!.data;
    await objects().delete("tester", first);
    await objects().update("tester", { ...certificate("default")!, data: { "ca.crt": "other" } });
    await eventually(() => expect(account("default")?.metadata.uid).not.toBe(first.metadata.uid));
    await eventually(() => expect(certificate("default")?.data).toEqual(data));
  });
});
