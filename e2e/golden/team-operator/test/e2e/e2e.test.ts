/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connect, image, kubectl, loadImage, namespace, project, run, show } from "./cluster.ts";
import { curlPod } from "./curl-pod.ts";
import { hasFeature, installPrerequisites } from "./prerequisites.ts";
import { applySamples, deleteSamples, hasSamples, isReady, reconciled } from "./samples.ts";
import { untrustedWebhooks } from "./untrusted-webhooks.ts";
// +tsbuilder:scaffold:imports

beforeAll(() => {
  connect();
  run(`npm run docker-build -- ${image}`);
  loadImage();
  installPrerequisites();
  run(`npm run deploy -- --image ${image}`);
});

afterAll(() => {
  deleteSamples();
  run("npm run undeploy");
});

/** Only the cluster knows what went wrong. */
afterEach(({ task }) => {
  if (task.result?.state !== "fail") return;
  show("logs --selector control-plane=controller-manager --tail 200");
  show("get events --sort-by .lastTimestamp");
  show("describe pods");
});

test("the operator becomes available", () => {
  kubectl(`wait deployment/${project}-controller-manager --for=condition=Available --timeout=180s`);
});

test("the operator's pod satisfies the restricted Pod Security Standard", () => {
  const label = "pod-security.kubernetes.io/enforce=restricted --overwrite";
  // The API server warns of the pods that this label would not admit. Nothing is labelled.
  kubectl(`label namespace ${namespace} ${label} --dry-run=server --warnings-as-errors`);
});

test.runIf(hasFeature("cert-manager") && hasFeature("webhook"))(
  "the API server trusts the webhooks",
  async () => {
    await expect.poll(untrustedWebhooks, { timeout: 60_000, interval: 2_000 }).toEqual([]);
  },
);
// +tsbuilder:scaffold:webhooks

test.runIf(hasFeature("metrics"))("metrics are served to who may read them", () => {
  const account = `${project}-controller-manager`;
  const binding = `${project}-metrics-e2e`;
  const grant = `--clusterrole ${project}-metrics-reader --serviceaccount ${namespace}:${account}`;
  kubectl(`create clusterrolebinding ${binding} ${grant}`);
  // If network policies are enabled, they allow traffic from namespaces with this label.
  kubectl(`label namespace ${namespace} metrics=enabled`);
  try {
    const token = kubectl(`create token ${account}`).trim();
    const url = `https://${account}-metrics-service.${namespace}.svc:8443/metrics`;
    const metrics = curlPod(url, token);
    expect(metrics).toContain("controller_runtime_reconcile_total");
  } finally {
    kubectl(`delete clusterrolebinding ${binding}`);
  }
});

test.runIf(hasSamples())("the samples become ready", async () => {
  // A moment passes between a ready pod and a node that sends requests of webhooks to it.
  await expect.poll(applySamples, { timeout: 60_000, interval: 2_000 }).not.toEqual([]);
  for (const sample of reconciled(applySamples())) {
    await expect.poll(() => isReady(sample), { timeout: 240_000, interval: 2_000 }).toBe(true);
  }
});
