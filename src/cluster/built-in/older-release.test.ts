import { expect, test } from "vitest";
import { startTestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

test("a cluster of 1.35 runs all controllers and lacks the kinds and fields of newer releases", async () => {
  const controllers = ["deployment", "replicaset", "serviceaccount"] as const;
  const cluster = await startTestCluster({ kubernetesVersion: "v1.35.4", controllers });
  const call = (method: string, path: string, body?: unknown) =>
    send(cluster.kubeconfig, { method, path, body });
  const { text } = await call("GET", "/apis/admissionregistration.k8s.io/v1");
  expect(text).toContain('"validatingadmissionpolicies"');
  expect(text).not.toContain('"mutatingadmissionpolicies"');
  const containers = [{ name: "c", image: "i" }];
  const pod = { metadata: { name: "a" }, spec: { containers, schedulingGroup: { podGroupName: "g" } } };
  const path = "/api/v1/namespaces/default/pods?fieldValidation=Strict";
  expect((await call("POST", path, pod)).body).toMatchObject({
    message: expect.stringContaining('unknown field "spec.schedulingGroup"') as string,
  });
  await cluster.stop();
});
