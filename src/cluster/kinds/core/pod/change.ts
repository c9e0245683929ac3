import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { type Problems, itemsOf } from "../../checks/problems.ts";
import { trimmedImage } from "../pod-spec/containers.ts";
import type { Pod, PodSpec } from "../pod-spec/types.ts";

/** Almost nothing in a pod's spec may change; any other change is the last error. */
export function* changeProblems({ spec }: Pod, { spec: old }: Pod): Problems {
  for (const list of ["containers", "initContainers"] as const) {
    const [now = [], before = []] = [spec[list], old[list]];
    if (now.length !== before.length) {
      return yield forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    }
    for (const [at, container] of itemsOf(`spec.${list}`, now)) {
      if (!container.image) yield required(`${at}.image`);
      yield* trimmedImage(at, container);
    }
  }
  const deadline = deadlineProblem(spec, old);
  if (deadline) yield deadline;
  if (deadline && spec.activeDeadlineSeconds !== undefined) return;
  yield* keptTolerations(spec, old);
  yield* removedGates(spec, old);
  yield* narrowedNodes(spec, old);
  if (isEqual(frozen(spec, old), old)) return;
  const fields = [
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
  ];
  yield forbidden("spec", `pod updates may not change fields other than ${fields.join(",")}`);
}

function deadlineProblem(
  { activeDeadlineSeconds: now }: PodSpec,
  { activeDeadlineSeconds: before }: PodSpec,
): FieldError | undefined {
  const field = "spec.activeDeadlineSeconds";
  if (now === undefined) {
    if (before === undefined) return undefined;
    return invalid(field, null, "must not update from a positive integer to nil value");
  }
  const highest = 2 ** 31 - 1;
  if (now < 0 || now > highest) return invalid(field, now, `must be between 0 and ${highest}, inclusive`);
  if (before !== undefined && before < now) {
    return invalid(field, now, "must be less than or equal to previous value");
  }
  return undefined;
}

function* keptTolerations({ tolerations = [] }: PodSpec, old: PodSpec): Problems {
  for (const before of old.tolerations ?? []) {
    const kept = tolerations.some((toleration) => {
      const { tolerationSeconds: _now, ...now } = toleration;
      const { tolerationSeconds: _before, ...then } = before;
      return isEqual(now, then);
    });
    if (kept) continue;
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    return yield forbidden("spec.tolerations", detail);
  }
}

function* removedGates({ schedulingGates }: PodSpec, old: PodSpec): Problems {
  for (const [at, { name = "" }] of itemsOf("spec.schedulingGates", schedulingGates)) {
    if (old.schedulingGates?.some((gate) => gate.name === name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield forbidden(`${at}.name`, detail);
  }
}

/** While a pod is gated, its node selector may only be extended. */
function* narrowedNodes({ nodeSelector = {} }: PodSpec, old: PodSpec): Problems {
  if (!old.schedulingGates?.length) return;
  if (Object.entries(old.nodeSelector ?? {}).every(([key, value]) => nodeSelector[key] === value)) return;
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  yield invalid("spec.nodeSelector", nodeSelector, detail);
}

/** The new spec with all mutable fields set back to their old values. */
function frozen(spec: PodSpec, old: PodSpec): PodSpec {
  const result = copyJSON(spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (result[list] ?? []).entries()) {
      const before = old[list]?.[index]?.image;
      if (before !== undefined) container.image = before;
    }
  }
  const isGated = (old.schedulingGates ?? []).length > 0;
  const { terminationGracePeriodSeconds: period = 0 } = old;
  const repaired = period < 0 && spec.terminationGracePeriodSeconds === 1;
  const changeable = [
    "activeDeadlineSeconds",
    "tolerations",
    "schedulingGates",
    ...(repaired ? (["terminationGracePeriodSeconds"] as const) : []),
    ...(isGated ? (["nodeSelector"] as const) : []),
  ] as const;
  for (const field of changeable) {
    if (old[field] === undefined) delete result[field];
    else Object.assign(result, { [field]: old[field] });
  }
  return result;
}
