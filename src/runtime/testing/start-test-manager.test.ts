import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "./eventually.ts";
import { startTestManager } from "./test-manager.ts";

interface Echo extends CustomResource<{ text: string }, { text?: string }> {}
const Echo = defineKind<Echo>({ group: "example.com", version: "v1" }, { kind: "Echo", plural: "echoes" });

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "echoes.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Echo", listKind: "EchoList", plural: "echoes", singular: "echo" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

test("startTestManager() runs a controller against a cluster", async () => {
  const cluster = await startTestCluster({ crds: [crd] });
  onTestFinished(() => cluster.stop());
  const running = await startTestManager(cluster.kubeconfig, (manager) => {
    manager.controllerFor(Echo).complete({
      async reconcile(request) {
        const echo = await manager.client.find(Echo, request);
        if (echo) await manager.client.patchStatus(Echo, echo, { text: echo.spec.text.toUpperCase() });
      },
    });
  });
  onTestFinished(() => running.stop());
  const { client } = running;
  const made = await client.create(Echo, {
    metadata: { name: "a", namespace: "default" },
    spec: { text: "hi" },
  });
  const statusOf = async (): Promise<Echo["status"]> =>
    (await client.get(Echo, { namespace: "default", name: "a" })).status;
  await eventually(async () => expect(await statusOf()).toEqual({ text: "HI" }));
  await client.patch(Echo, made, { merge: { spec: { text: "ho" } } });
  await eventually(async () => expect(await statusOf()).toEqual({ text: "HO" }));
});

test("startTestManager() rejects when the manager can't start", async () => {
  const start = startTestManager({ clusters: [], contexts: [] });
  await expect(start).rejects.toThrow("no current context");
});
