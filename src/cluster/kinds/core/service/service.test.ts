import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../../testing/index.ts";
import { send } from "../../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const path = "/api/v1/namespaces/default/services";

test("a port of health checks belongs to one Service, which keeps it in updates", async () => {
  const service = (name: string) => ({
    metadata: { name },
    spec: {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 31_997,
      ports: [{ port: 80 }],
    },
  });
  const call = (method: string, at: string, body: unknown) =>
    send(cluster.kubeconfig, { method, path: at, body });
  expect((await call("POST", path, service("a"))).code).toBe(201);
  expect((await call("PUT", `${path}/a`, service("a"))).code).toBe(200);
  expect((await call("POST", path, service("b"))).body).toMatchObject({
    code: 500,
    message:
      "Internal error occurred: failed to allocate requested HealthCheck NodePort 31997: provided port is already allocated",
  });
});

test("addresses are given from the 257th one on: those before it are for Services that ask for theirs", async () => {
  const spec = { ports: [{ port: 80 }] };
  const create = async (name: string, more: object = {}) => {
    const body = { metadata: { name }, spec: { ...spec, ...more } };
    return (await send(cluster.kubeconfig, { method: "POST", path, body })).body as typeof body & {
      spec: { clusterIP: string };
    };
  };
  const given = (await create("given")).spec.clusterIP;
  expect(given).toMatch(/^10\.96\.1\./u);
  expect((await create("dns", { clusterIP: "10.96.0.10" })).spec.clusterIP).toBe("10.96.0.10");
  expect((await create("next")).spec.clusterIP).not.toBe(given);
});

test("the protocols of one port share a node port, and other ports have their own", async () => {
  const create = async (name: string, ...ports: object[]) => {
    const body = { metadata: { name }, spec: { type: "NodePort", ports } };
    const answer = await send(cluster.kubeconfig, { method: "POST", path, body });
    const { spec } = answer.body as { spec?: { ports: Array<{ nodePort: number }> } };
    return { code: answer.code, nodePorts: spec?.ports.map(({ nodePort }) => nodePort) };
  };
  const port = (protocol: string, number: number, nodePort?: number) => ({
    name: `${protocol}-${number}`.toLowerCase(),
    protocol,
    port: number,
    ...(nodePort !== undefined && { nodePort }),
  });
  const { nodePorts } = await create("shared", port("TCP", 53), port("UDP", 53), port("TCP", 54));
  expect(nodePorts![1]).toBe(nodePorts![0]);
  expect(nodePorts![2]).not.toBe(nodePorts![0]);
  const asked = await create("asked", port("TCP", 1), port("UDP", 1, 31_000));
  expect(asked.nodePorts).toEqual([31_000, 31_000]);
  expect((await create("others", port("TCP", 1, 31_001), port("UDP", 2, 31_001))).code).toBe(422);
});
