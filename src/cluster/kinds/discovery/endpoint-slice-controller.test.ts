import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../../e2e/support/eventually.ts";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { endpointSlices, managerLabel } from "./endpoint-slice-controller.ts";

async function startCluster() {
  const cluster = await startTestCluster({
    controllers: ["endpoints", "endpointslice", "endpointslicemirroring"],
  });
  onTestFinished(() => cluster.stop());
  const objects = clusterObjects(cluster.core);
  const slices = () =>
    objects.list(endpointSlices, "default").filter(({ metadata }) => metadata.generateName === "db-");
  return { cluster, objects, slices };
}

const service = (spec: object, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "db", namespace: "default", labels },
  spec: { ports: [{ port: 5432 }], ...spec },
});

test("slices of written Endpoints go when their Service gets a selector", async () => {
  const { cluster, slices } = await startCluster();
  const managers = () => slices().map(({ metadata }) => metadata.labels?.[managerLabel]);
  await cluster.install(service({}));
  await cluster.install({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "db", namespace: "default" },
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 5432 }] }],
  });
  await eventually(() => expect(managers()).toEqual(["endpointslicemirroring-controller.k8s.io"]));
  await cluster.install(service({ selector: { app: "db" } }));
  await eventually(() => expect(managers()).toEqual(["endpointslice-controller.k8s.io"]));
});

test("annotations that users write on a slice stay when it changes", async () => {
  const { cluster, objects, slices } = await startCluster();
  const spec = { selector: { app: "db" } };
  await cluster.install(service(spec));
  const [slice] = await eventually(() => {
    expect(slices()).toHaveLength(1);
    return slices();
  });
  const annotations = { note: "mine" };
  await objects.update("alice", { ...slice!, metadata: { ...slice!.metadata, annotations } });
  await cluster.install(service(spec, { tier: "data" }));
  await eventually(() => expect(slices()[0]!.metadata.labels).toMatchObject({ tier: "data" }));
  expect(slices().map(({ metadata }) => metadata.annotations)).toEqual([annotations]);
});
