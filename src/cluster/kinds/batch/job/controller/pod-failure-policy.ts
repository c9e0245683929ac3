import type { Job, PodFailurePolicyRule } from "./jobs.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";

interface TerminatedContainer {
  readonly name: string;
  readonly exitCode: number;
}

/** The first rule of a Job's podFailurePolicy that a failed pod matches, and why. */
export function failureRule(
  { spec }: Job,
  pod: Pod,
): { readonly action: PodFailurePolicyRule["action"]; readonly message: string } | undefined {
  if (pod.status?.phase !== "Failed") return undefined;
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const why = matchedCode(rule, pod) ?? matchedCondition(rule, pod);
    if (why) return { action: rule.action, message: `${why} matching ${rule.action} rule at index ${index}` };
  }
  return undefined;
}

function matchedCode({ onExitCodes }: PodFailurePolicyRule, pod: Pod): string | undefined {
  if (!onExitCodes) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const found = terminatedContainers(pod).find(
    ({ name, exitCode }) =>
      exitCode !== 0 &&
      (containerName === undefined || containerName === name) &&
      values.includes(exitCode) === (operator === "In"),
  );
  return found && `Container ${found.name} for pod ${nameOf(pod)} failed with exit code ${found.exitCode}`;
}

function matchedCondition({ onPodConditions = [] }: PodFailurePolicyRule, pod: Pod): string | undefined {
  const found = onPodConditions.find(({ type, status = "True" }) =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === status),
  );
  return found && `Pod ${nameOf(pod)} has condition ${found.type}`;
}

function terminatedContainers({ status }: Pod): TerminatedContainer[] {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return statuses.flatMap(({ name, state }) => {
    return state?.terminated ? [{ name, exitCode: state.terminated.exitCode }] : [];
  });
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
