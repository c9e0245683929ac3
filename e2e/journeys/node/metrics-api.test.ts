import { afterAll, beforeAll, expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { run } from "../../support/shell.ts";
import { prepareMetricsServer, startMetricsServer } from "../../oracle/real/node/metrics-server.ts";
import { boxImage } from "../../oracle/real/node/box-image.ts";
import { prepareNode } from "../../oracle/real/node/node-programs.ts";
import { type RealNode, startNode } from "../../oracle/real/node/start-node.ts";

// metrics-server behind the API server's aggregation layer, and what reads it: kubectl top, and an autoscaler.

const programs = prepareNode();
const clients = findPrograms(kubectlReleases.at(-1)!);
const metricsServer = prepareMetricsServer();
const missing = [programs, clients, metricsServer]
  .map((part) => ("missing" in part ? part.missing : undefined))
  .find((reason) => reason !== undefined);
if (missing !== undefined) console.log(`left out: the metrics API on a real node: ${missing}`);
let node: RealNode;

beforeAll(async () => {
  if ("missing" in programs || "missing" in metricsServer || missing !== undefined) return;
  node = await startNode(programs);
  await startMetricsServer(node, metricsServer, kubectl);
  const manifest = join(node.folder, "busy.json");
  writeFileSync(
    manifest,
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [deployment, autoscaler] }),
  );
  await kubectl(`apply --filename ${manifest}`);
});

afterAll(() => node?.stop());

test.skipIf(missing !== undefined)("kubectl top shows what nodes and pods use", async () => {
  expect(await kubectl("top nodes --no-headers")).toMatch(/^node-1 +[1-9]\d*m +\d+% +[1-9]\d*Mi +\d+%/);
  await eventually(async () =>
    expect(await kubectl("top pods --no-headers")).toMatch(/^busy-\S+ +[1-9]\d*m +[1-9]\d*Mi/),
  );
});

test.skipIf(missing !== undefined)("an autoscaler reads it, and adds a pod", async () => {
  await eventually(async () => {
    const status = await kubectl("get hpa busy --output=jsonpath={.status}");
    const { currentMetrics } = JSON.parse(status) as { currentMetrics?: readonly CurrentMetric[] };
    expect(currentMetrics?.[0]?.resource.current.averageUtilization).toBeGreaterThan(100);
  });
  await eventually(async () =>
    expect(await kubectl("get deployment busy --output=jsonpath={.spec.replicas}")).toBe("2"),
  );
});

interface CurrentMetric {
  readonly resource: { readonly current: { readonly averageUtilization?: number } };
}

const labels = { app: "busy" };

/** Holds a few megabytes, and works without end. */
const busy = "held=$(/bin/busybox yes | /bin/busybox head -c 8000000); while :; do :; done";

/** A pod that takes five times the processor time that it asked for, if there is as much. */
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "busy", namespace: "default" },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: "busy",
            image: boxImage,
            command: ["/bin/busybox", "sh", "-c", busy],
            resources: { requests: { cpu: "20m" }, limits: { cpu: "100m" } },
          },
        ],
      },
    },
  },
};

const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "busy", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
    minReplicas: 1,
    maxReplicas: 2,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ],
  },
};

async function kubectl(words: string): Promise<string> {
  if ("missing" in clients) throw new Error(clients.missing);
  const shell = { folder: node.folder, env: { KUBECONFIG: node.kubeconfig } };
  return (await run(shell, clients.kubectl, ...words.split(" "))).stdout;
}
