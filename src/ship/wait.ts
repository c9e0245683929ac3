import { setTimeout as delay } from "node:timers/promises";
import type { TsbuilderError } from "../shared/errors.ts";
import { checkDeployment } from "./check-deployment.ts";
import { checkFormerPods } from "./check-former-pods.ts";
import { checkWebhooks } from "./check-webhooks.ts";
import type { ClusterChoice } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";
import { hasWebhooks } from "./unreached-webhooks.ts";

/**
 * Waits until a deployed operator does its work: its Deployment is available, and the API server reaches its webhooks.
 * On timeout, explains what is missing.
 */
export async function waitForOperator(
  deployed: readonly ManifestObject[],
  renderSamples: () => Promise<readonly ManifestObject[]>,
  choice: ClusterChoice,
  seconds: number,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  const deployment = deployed.find(({ kind }) => kind === "Deployment");
  if (deployment) await until(deadline, () => checkDeployment(deployment, choice, seconds));
  if (!hasWebhooks(deployed)) return;
  if (deployment) await until(deadline, () => checkFormerPods(deployment, choice, seconds));
  const samples = await renderSamples();
  await until(deadline, () => checkWebhooks(deployed, samples, choice, seconds));
}

/** Why something is not ready yet. */
export type Reason = () => Promise<TsbuilderError>;

async function until(deadline: number, check: () => Promise<Reason | undefined>): Promise<void> {
  for (;;) {
    const reason = await check();
    if (!reason) return;
    if (Date.now() >= deadline) throw await reason();
    await delay(1000);
  }
}
