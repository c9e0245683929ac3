import { expect, onTestFinished, test } from "vitest";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { Deployment } from "../k8s/apps/v1.ts";
import { ConfigMap, ServiceAccount } from "../k8s/core/v1.ts";
import { createLogger } from "../log/logger.ts";
import { Manager } from "../manager/manager.ts";
import { startTestManager, type TestManager } from "../testing/test-manager.ts";

const service = { name: "webhook-service", namespace: "default" };

function configuration(kind: string, path: string, rule: object) {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: path.slice(1) },
    webhooks: [
      {
        name: `${path.slice(1)}.example.com`,
        clientConfig: { service: { ...service, path } },
        rules: [{ apiVersions: ["v1"], ...rule }],
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

test("one webhook mutates several kinds, and another validates a subresource", async () => {
  let running: TestManager;
  const cluster = await startTestCluster({
    resolveService() {
      const [host = "", port] = running.manager.addresses.webhooks?.split(":") ?? [];
      return { host, port: Number(port) };
    },
  });
  onTestFinished(() => cluster.stop());
  const any = { apiGroups: [""], operations: ["CREATE"], resources: ["configmaps", "serviceaccounts"] };
  const scale = { apiGroups: ["apps"], operations: ["UPDATE"], resources: ["deployments/scale"] };
  await cluster.install(
    configuration("MutatingWebhookConfiguration", "/mutate-any", any),
    configuration("ValidatingWebhookConfiguration", "/validate-scale", scale),
  );
  running = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig,
      webhooks: { port: 0, host: "127.0.0.1", selfManaged: { service: service.name, namespace: "default" } },
    },
    (manager) => {
      manager.webhookAt("/mutate-any", ({ object, kind }) => {
        object!.metadata.labels = { kind: kind.kind };
        return { object: object! };
      });
      manager.webhookAt<{ spec?: { replicas?: number } }>("/validate-scale", ({ object, subResource }) => {
        expect(subResource).toBe("scale");
        if ((object?.spec?.replicas ?? 0) > 5) throw new Error("at most 5");
      });
    },
  );
  onTestFinished(() => running.stop());
  const { client } = running;
  const metadata = { name: "a", namespace: "default" };
  expect((await client.create(ConfigMap, { metadata })).metadata.labels).toEqual({ kind: "ConfigMap" });
  expect((await client.create(ServiceAccount, { metadata })).metadata.labels).toEqual({
    kind: "ServiceAccount",
  });

  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  await client.create(Deployment, { metadata, spec });
  const scaleTo = (replicas: number) =>
    client.subresource(Deployment, metadata, "scale").patch({ merge: { spec: { replicas } } });
  await scaleTo(5);
  await expect(scaleTo(6)).rejects.toThrow(/at most 5/);
  expect((await client.get(Deployment, metadata)).spec?.replicas).toBe(5);
});

test("a path that isn't one, or that is already used, is rejected", () => {
  const manager = new Manager({ name: "test", logger: createLogger({ write() {} }) });
  manager.webhookAt("/validate-exec", () => {});
  expect(() => manager.webhookAt("/validate-exec", () => {})).toThrow("two webhooks at /validate-exec");
  expect(() => manager.webhookAt("/convert", () => {})).toThrow("two webhooks at /convert");
  expect(() => manager.webhookAt("exec", () => {})).toThrow("not a valid webhook path");
});
