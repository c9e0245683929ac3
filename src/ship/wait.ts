import { setTimeout as delay } from "node:timers/promises";
import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";
import {
  type DeploymentState,
  type WarningEvent,
  isAvailable,
  type PodState,
  reasonsOf,
} from "./unavailable.ts";

/** Waits until the deployed operator is available; on timeout, explains why with its pods and events. */
export async function waitForDeployment(
  target: ManifestObject,
  choice: ClusterChoice,
  { seconds, every = 1 }: { seconds: number; every?: number },
): Promise<void> {
  const { name, namespace = "default" } = target.metadata;
  const where = ["--namespace", namespace];
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const deployment = await readJson<DeploymentState>(choice, ["get", "deployment", name, ...where]);
    if (deployment && isAvailable(deployment)) return;
    if (Date.now() >= deadline) {
      const reasons = await findReasons(deployment, choice, where);
      const found = reasons.length > 0 ? reasons : ["no pod or event explains it"];
      throw new TsbuilderError(
        [`deployment "${name}" is not available after ${seconds} s`, ...found].join("\n  "),
        {
          code: "TOOL_FAILED",
          hint: `for details, run: kubectl describe deployment ${name} ${where.join(" ")}`,
        },
      );
    }
    await delay(every * 1000);
  }
}

async function findReasons(
  deployment: DeploymentState | undefined,
  choice: ClusterChoice,
  where: readonly string[],
): Promise<string[]> {
  const labels = Object.entries(deployment?.spec.selector.matchLabels ?? {});
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const pods = await readJson<{ items: PodState[] }>(choice, [
    "get",
    "pods",
    "--selector",
    selector,
    ...where,
  ]);
  const events = await readJson<{ items: WarningEvent[] }>(choice, ["get", "events", ...where]);
  return reasonsOf(deployment, pods?.items ?? [], events?.items ?? []);
}
