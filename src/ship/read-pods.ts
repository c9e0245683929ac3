import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { DeploymentState, PodState } from "./unavailable.ts";

/** The pods that a Deployment selects, those that are ending included. */
export async function readPods(
  spec: DeploymentState["spec"] | undefined,
  choice: ClusterChoice,
  where: readonly string[],
): Promise<{ items: PodState[] }> {
  const labels = Object.entries(spec?.selector.matchLabels ?? {});
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const words = ["get", "pods", "--selector", selector, ...where];
  return (await readJson<{ items: PodState[] }>(choice, words)) ?? { items: [] };
}
