import { TsbuilderError } from "../shared/errors.ts";
import type { ClusterChoice } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";
import { isEnding } from "./ending-pods.ts";
import { readPods } from "./read-pods.ts";
import type { DeploymentState } from "./unavailable.ts";
import type { Reason } from "./wait.ts";

/** Pods of the former version answer the API server until they end, and may not know what the new CRDs ask of them. */
export async function checkFormerPods(
  { metadata: { namespace = "default" }, spec }: ManifestObject,
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  const { items } = await readPods(spec as DeploymentState["spec"], choice, ["--namespace", namespace]);
  const left = items.find((pod) => isEnding(pod, Date.now()));
  if (!left) return undefined;
  return async () =>
    new TsbuilderError(`pod ${left.metadata.name} of the former version has not ended after ${seconds} s`, {
      code: "TOOL_FAILED",
      hint: `the operator is available; look at the pod: kubectl describe pod ${left.metadata.name} --namespace ${namespace}`,
    });
}
