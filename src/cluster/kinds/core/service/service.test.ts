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
