import { expect, onTestFinished, test } from "vitest";
import { send } from "../../testing/send.ts";
import { startTestCluster } from "../../testing/index.ts";

test.each([
  [{ currentReplicas: 3, desiredReplicas: 0 }, []],
  [{ currentReplicas: -1, desiredReplicas: 0 }, ["status.currentReplicas"]],
  [{ currentReplicas: -1, desiredReplicas: -2 }, ["status.currentReplicas", "status.desiredReplicas"]],
])("a status with %j has problems in %j", async (status, fields) => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  const body = { metadata: { name: "web" }, spec: { maxReplicas: 3, scaleTargetRef } };
  await send(cluster.kubeconfig, { method: "POST", path, body });
  const { code, body: answer } = await send(cluster.kubeconfig, {
    method: "PUT",
    path: `${path}/web/status`,
    body: { ...body, status },
  });
  expect(code).toBe(fields.length === 0 ? 200 : 422);
  const { details } = answer as { details?: { causes?: { field: string }[] } };
  expect((details?.causes ?? []).map(({ field }) => field)).toEqual(fields);
});
