import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
const ranges = "/apis/networking.k8s.io/v1/servicecidrs/kubernetes";
const binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/kube-apiserver-kubelet-client";
const authentication = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const services = "/api/v1/namespaces/default/services";

async function call(method: string, path: string, body?: object, { kubeconfig } = cluster) {
  const answer = await send(kubeconfig, { method, path, body });
  return { code: answer.code, body: answer.body as { metadata: { uid: string } } };
}

const portOf = ({ url }: TestCluster) => Number(new URL(url).port);

describe("publishServer()", () => {
  it("publishes the endpoints of the server", async () => {
    const ports = [{ name: "https", port: portOf(cluster), protocol: "TCP" }];
    expect((await call("GET", endpoints)).body).toMatchObject({
      metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports }],
    });
    expect((await call("GET", slices)).body).toMatchObject({
      metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports,
    });
  });

  it("publishes the range of Services as a ready ServiceCIDR", async () => {
    expect((await call("GET", ranges)).body).toMatchObject({
      spec: { cidrs: ["10.96.0.0/16"] },
      status: {
        conditions: [
          { type: "Ready", status: "True", reason: "", message: "Kubernetes default Service CIDR is ready" },
        ],
      },
    });
  });

  it.each([endpoints, slices, ranges, binding, authentication])(
    "creates %s again when it is deleted",
    async (path) => {
      const { uid } = (await call("GET", path)).body.metadata;
      expect((await call("DELETE", path)).code).toBe(200);
      await eventually(async () => {
        const { code, body } = await call("GET", path);
        expect({ code, same: body.metadata.uid === uid }).toEqual({ code: 200, same: false });
      });
    },
  );

  it("publishes another port after a restart", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "publish-server-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    await (await startTestCluster({ dataDir })).stop();
    const again = await startTestCluster({ dataDir });
    onTestFinished(() => again.stop());
    const ports = [{ port: portOf(again) }];
    expect((await call("GET", endpoints, undefined, again)).body).toMatchObject({ subsets: [{ ports }] });
    expect((await call("GET", slices, undefined, again)).body).toMatchObject({ ports });
  });

  it("publishes how the server authenticates clients now, after a restart with other flags", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "publish-server-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const before = { "requestheader-allowed-names": '["old"]', "requestheader-group-headers": '["G"]' };
    await (await startTestCluster({ dataDir, frontProxy: { settings: before } })).stop();
    const now = { "requestheader-allowed-names": '["new"]' };
    const again = await startTestCluster({ dataDir, frontProxy: { settings: now } });
    onTestFinished(() => again.stop());
    const ca = again.kubeconfig.clusters[0].cluster["certificate-authority-data"]!;
    const data = { "client-ca-file": Buffer.from(ca, "base64").toString(), ...now };
    expect((await call("GET", authentication, undefined, again)).body).toHaveProperty("data", data);
  });
});

describe("keepServiceAddresses()", () => {
  const service = (name: string, spec: object = {}) =>
    call("POST", services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

  it("keeps an IPAddress for each Service as long as it exists", async () => {
    const created = (await service("a", { clusterIP: "10.96.7.7" })).body;
    expect(created).toMatchObject({ spec: { clusterIP: "10.96.7.7" } });
    expect((await call("GET", `${addresses}/10.96.7.7`)).body).toMatchObject({
      metadata: {
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
    });
    expect((await call("GET", `${addresses}/10.96.0.1`)).code).toBe(200);
    expect((await call("DELETE", `${addresses}/10.96.7.7`)).code).toBe(200);
    expect((await call("GET", `${addresses}/10.96.7.7`)).code).toBe(200);
    await call("DELETE", `${services}/a`);
    expect((await call("GET", `${addresses}/10.96.7.7`)).code).toBe(404);
  });

  it("allocates no address that an IPAddress of a user holds", async () => {
    const parentRef = { resource: "widgets", name: "w" };
    await call("POST", addresses, { metadata: { name: "10.96.8.8" }, spec: { parentRef } });
    const { code, body } = await service("b", { clusterIP: "10.96.8.8" });
    const message = "failed to allocate IP 10.96.8.8: provided IP is already allocated";
    expect({ code, body }).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining(message) as string },
    });
  });
});
