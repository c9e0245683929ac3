import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock, startTestCluster } from "@tsbuilder/cluster/testing";
import { eventually } from "../../../../e2e/support/eventually.ts";
import { controllerNames } from "../../controllers/index.ts";
import { pods } from "../../control-loop/api/core.ts";
import { clusterObjects } from "../../registry/cluster-objects.ts";

const authority = createCA({ commonName: "metrics" });

/** Starts a cluster with a server of metrics.k8s.io, whose pods use as much of the processor as `usage` says. */
async function start(usage: { cpu: string }) {
  const clock = new FakeClock();
  const serving = issueCertificate(authority, { dnsNames: ["metrics.default.svc"], usages: ["server"] });
  const server = createServer(serving, ({ url = "" }, response) => {
    const containers = [{ name: "c", usage: { ...usage, memory: "1Mi" } }];
    const items = objects
      .list(pods)
      .map(({ metadata }) => ({ metadata: { name: metadata.name }, containers }));
    response.end(JSON.stringify(url.endsWith("/pods") ? { items } : { resources: [] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const resolveService = () => ({ host: "127.0.0.1", port });
  const cluster = await startTestCluster({ clock, controllers: controllerNames, resolveService });
  const objects = clusterObjects(cluster.core);
  onTestFinished(async () => {
    await cluster.stop();
    server.close();
    server.closeAllConnections();
  });
  const metadata = { name: "metrics" };
  await cluster.install(
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 443 }] } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { ...metadata, labels: { "kubernetes.io/service-name": "metrics" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.1.1"] }],
      ports: [{ name: "", port: 443 }],
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta1.metrics.k8s.io" },
      spec: {
        group: "metrics.k8s.io",
        version: "v1beta1",
        service: { namespace: "default", name: "metrics" },
        caBundle: Buffer.from(authority.cert).toString("base64"),
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
    deployment,
    autoscaler,
  );
  const read = (resource: string): object => objects.get(resource, "default", "web")!;
  return { clock, read };
}

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
    },
  },
};
const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 3,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ],
  },
};

interface Scaled {
  readonly spec: { readonly replicas: number };
}

interface Autoscaled {
  readonly status: {
    readonly currentMetrics?: readonly object[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
}

test("pods are added at once, up to the limit, and taken away after five calm minutes", async () => {
  const usage = { cpu: "100m" };
  const { clock, read } = await start(usage);
  const replicas = () => (read("deployments.apps") as Scaled).spec.replicas;
  const step = async (wanted: number): Promise<void> => {
    await eventually(async () => {
      await clock.advance(15_000);
      expect(replicas()).toBe(wanted);
    });
  };
  await step(3);
  const { status } = read("horizontalpodautoscalers.autoscaling") as Autoscaled;
  expect(status.currentMetrics).toEqual([
    {
      type: "Resource",
      resource: { name: "cpu", current: { averageUtilization: 100, averageValue: "100m" } },
    },
  ]);
  expect(status.conditions?.find(({ type }) => type === "ScalingActive")).toMatchObject({
    status: "True",
    reason: "ValidMetricFound",
  });
  usage.cpu = "10m";
  const before = clock.now();
  await step(1);
  expect(clock.now() - before).toBeGreaterThan(280_000);
});
