import { afterAll, beforeAll, expect, test } from "vitest";
import { controllerNames } from "../../../controllers/index.ts";
import { startTestCluster, type TestCluster } from "../../../testing/index.ts";
import { send } from "../../../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ controllers: controllerNames });
});
afterAll(() => cluster.stop());

test("a StatefulSet with a claim template becomes ready with all controllers on", async () => {
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  await send(cluster.kubeconfig, {
    method: "POST",
    path,
    body: {
      metadata: { name: "db" },
      spec: {
        replicas: 2,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "db", image: "db:1" }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
  });
  let ready = 0;
  while (ready < 2) {
    const { body } = await send(cluster.kubeconfig, { method: "GET", path: `${path}/db` });
    ready = (body as { status: { readyReplicas?: number } }).status.readyReplicas ?? 0;
  }
  const claims = await send(cluster.kubeconfig, {
    method: "GET",
    path: "/api/v1/namespaces/default/persistentvolumeclaims",
  });
  expect(claims.body).toMatchObject({
    items: [
      { metadata: { name: "data-db-0" }, status: { phase: "Bound" } },
      { metadata: { name: "data-db-1" }, status: { phase: "Bound" } },
    ],
  });
});
