import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { pods } from "../../control-loop/api/core.ts";
import { endpointsResource } from "./endpoints.ts";
import { endpointSlices } from "../discovery/endpoint-slice-controller.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({
    controllers: ["endpoints", "endpointslice", "scheduler", "node", "kubelet", "garbagecollector"],
  });
});
afterEach(() => cluster.stop());

const service = (spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default", labels: { tier: "front" } },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }], ...spec },
});
const pod = (name: string, containerPort: number, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web:1", ports: [{ name: "http", containerPort }] }], ...spec },
});

const objects = () => clusterObjects(cluster.core);
const subsets = () => objects().get(endpointsResource, "default", "web")?.subsets;
const slices = () =>
  objects()
    .list(endpointSlices, "default")
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web");
const ip = (name: string) => objects().get(pods, "default", name)?.status?.podIP;

describe("endpoints and endpoint slices", () => {
  it("list the ready pods behind a Service with their named ports", async () => {
    await cluster.install(service(), pod("a", 8080), pod("b", 8080));
    const target = (name: string) => ({
      ip: ip(name),
      targetRef: { kind: "Pod", name, namespace: "default" },
    });
    await eventually(() =>
      expect(subsets()).toMatchObject([
        { addresses: [target("a"), target("b")], ports: [{ name: "http", port: 8080, protocol: "TCP" }] },
      ]),
    );
    await eventually(() => expect(slices()[0]?.endpoints).toHaveLength(2));
    expect(slices()).toMatchObject([
      {
        addressType: "IPv4",
        metadata: { labels: { tier: "front" }, ownerReferences: [{ kind: "Service", name: "web" }] },
        endpoints: [
          { addresses: [ip("a")], conditions: { ready: true, serving: true, terminating: false } },
          { addresses: [ip("b")] },
        ],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  it("separate pods that have different numbers for a port", async () => {
    await cluster.install(service(), pod("a", 8080), pod("b", 9090));
    await eventually(() => expect(subsets()?.map(({ ports }) => ports?.[0]?.port)).toEqual([8080, 9090]));
    await eventually(() => expect(slices()).toHaveLength(2));
  });

  it("list a pod that is not ready separately", async () => {
    await cluster.install(service(), pod("a", 8080, { readinessGates: [{ conditionType: "test.io/gate" }] }));
    await eventually(() => expect(subsets()).toMatchObject([{ notReadyAddresses: [{ ip: ip("a") }] }]));
    await eventually(() => expect(slices()[0]?.endpoints?.[0]?.conditions?.ready).toBe(false));
    const stored = objects().get(pods, "default", "a")!;
    const gate = { type: "test.io/gate", status: "True" as const };
    const conditions = [...(stored.status?.conditions ?? []), gate];
    await objects().update("tester", { ...stored, status: { ...stored.status, conditions } }, "status");
    await eventually(() => expect(subsets()).toMatchObject([{ addresses: [{ ip: ip("a") }] }]));
  });

  it("include the hostnames of the pods of a headless Service", async () => {
    await cluster.install(
      service({ clusterIP: "None" }),
      pod("a", 8080, { hostname: "a", subdomain: "web" }),
    );
    await eventually(() => expect(subsets()).toMatchObject([{ addresses: [{ hostname: "a" }] }]));
    await eventually(() => expect(slices()[0]?.endpoints?.[0]?.hostname).toBe("a"));
  });

  it("follow the deletion of pods and Services", async () => {
    await cluster.install(service(), pod("a", 8080));
    await eventually(() => expect(subsets()).toHaveLength(1));
    await objects().delete("tester", objects().get(pods, "default", "a")!);
    await eventually(() => expect(subsets()).toBeUndefined());
    await eventually(() => expect(slices().map((slice) => slice.endpoints ?? [])).toEqual([[]]));
    await objects().delete("tester", objects().get("services", "default", "web")!);
    await eventually(() => expect(objects().get(endpointsResource, "default", "web")).toBeUndefined());
    await eventually(() => expect(slices()).toEqual([]));
  });

  it("ignore a Service without a selector", async () => {
    const { selector: _, ...spec } = service().spec;
    await cluster.install(
      { ...service(), spec },
      { ...service(), metadata: { name: "other", namespace: "default" } },
    );
    await eventually(() => expect(objects().get(endpointsResource, "default", "other")).toBeDefined());
    expect(objects().get(endpointsResource, "default", "web")).toBeUndefined();
  });
});
