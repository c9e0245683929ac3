import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";
import { readPods } from "./read-pods.ts";
import { type DeploymentState, isAvailable, reasonsOf, type WarningEvent } from "./unavailable.ts";
import type { Reason } from "./wait.ts";

/** A deployed operator's Deployment has to be available. */
export async function checkDeployment(
  { metadata: { name, namespace = "default" } }: ManifestObject,
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  const where = ["--namespace", namespace];
  const deployment = await readJson<DeploymentState>(choice, ["get", "deployment", name, ...where]);
  if (deployment && isAvailable(deployment)) return undefined;
  return async () => {
    const reasons = await findReasons(deployment, choice, where);
    const found = reasons.length > 0 ? reasons : ["no pod or event explains it"];
    return new TsbuilderError(
      [`deployment "${name}" is not available after ${seconds} s`, ...found].join("\n  "),
      {
        code: "TOOL_FAILED",
        hint: `for details, run: kubectl describe deployment ${name} ${where.join(" ")}`,
      },
    );
  };
}

async function findReasons(
  deployment: DeploymentState | undefined,
  choice: ClusterChoice,
  where: readonly string[],
): Promise<string[]> {
  const pods = await readPods(deployment?.spec, choice, where);
  const events = await readJson<{ items: WarningEvent[] }>(choice, ["get", "events", ...where]);
  return reasonsOf(deployment, pods.items, events?.items ?? []);
}
