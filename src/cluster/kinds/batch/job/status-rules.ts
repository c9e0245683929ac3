import { duplicate, invalid, invalidStruct, omitted, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { nonNegative, type Problems } from "../../checks/problems.ts";
import { countIndexes, firstCommonIndex } from "./indexes.ts";
import type { Job, JobSpec, JobStatus } from "./job-spec.ts";

/**
 * Validates a change of a Job's status, which other controllers may write than that of the cluster. A rule that was
 * broken before speaks only if a field that it is about has changed.
 */
export function* statusProblems({ spec, status: now = {} }: Job, { status: before = {} }: Job): Problems {
  const changed = (...fields: readonly (keyof JobStatus)[]): boolean =>
    fields.some((field) => !isEqual(now[field] ?? empty(field), before[field] ?? empty(field)));
  const turned = (...types: readonly string[]): boolean =>
    types.some((type) => isTrue(now, type) !== isTrue(before, type));
  yield* numbers(now);
  yield* uncounted(now);
  const [complete, failed, met] = ["Complete", "Failed", "SuccessCriteriaMet"].map((type) =>
    isTrue(now, type),
  );
  const finished = complete || failed;
  const finishes = finished !== (isTrue(before, "Complete") || isTrue(before, "Failed"));
  if (turned("Complete", "Failed") && complete && failed)
    yield* refusedConditions("cannot set Complete=True and Failed=true conditions");
  if (turned("Complete", "FailureTarget") && complete && isTrue(now, "FailureTarget"))
    yield* refusedConditions("cannot set Complete=True and FailureTarget=true conditions");
  yield* completionTime(
    now,
    turned("Complete") || changed("completionTime"),
    changed("startTime", "completionTime"),
  );
  if ((turned("Failed") || changed("failedIndexes")) && failed && !isTrue(now, "FailureTarget"))
    yield* refusedConditions("cannot set Failed=True condition without the FailureTarget=true condition");
  if (turned("Complete", "SuccessCriteriaMet") && complete && !met)
    yield* refusedConditions(
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
  if ((finishes || changed("active")) && finished && (now.active ?? 0) > 0)
    yield invalid("status.active", now.active, "active>0 is invalid for finished job");
  const isSuspendedForGood = spec.suspend === true && spec.completions === 0;
  if ((finishes || changed("startTime")) && finished && !now.startTime && !isSuspendedForGood)
    yield required("status.startTime", "startTime is required for finished job");
  const { succeeded = [], failed: lost = [] } = now.uncountedTerminatedPods ?? {};
  if ((finishes || changed("uncountedTerminatedPods")) && finished && succeeded.length + lost.length > 0) {
    const shown = { Succeeded: succeeded, Failed: lost };
    yield invalidStruct("status.uncountedTerminatedPods", shown, "must be empty for finished job");
  }
  yield* indexes(spec, now, changed);
  if ((finishes || changed("terminating")) && finished && (now.terminating ?? 0) > 0)
    yield invalid("status.terminating", now.terminating, "terminating>0 is invalid for finished job");
  if (changed("ready", "active") && (now.ready ?? 0) > (now.active ?? 0))
    yield invalid("status.ready", now.ready, "cannot set more ready pods than active");
  yield* transitions(spec, now, before);
}

/** The numbers and texts of the status that are no pointers in Go. */
function empty(field: keyof JobStatus): unknown {
  if (field === "completedIndexes") return "";
  return field === "active" || field === "succeeded" || field === "failed" ? 0 : undefined;
}

function isTrue({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === "True");
}

function* refusedConditions(detail: string): Problems {
  yield omitted(invalid("status.conditions", undefined, detail), detail);
}

function* numbers(status: JobStatus): Problems {
  for (const field of ["active", "succeeded", "failed", "ready", "terminating"] as const)
    yield* nonNegative(`status.${field}`, status[field]);
}

function* uncounted({ uncountedTerminatedPods: pods = {} }: JobStatus): Problems {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [index, uid] of (pods[list] ?? []).entries()) {
      const at = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === "") yield invalid(at, uid, "must not be empty");
      else if (seen.has(uid)) yield duplicate(at, uid);
      seen.add(uid);
    }
  }
}

function* completionTime(now: JobStatus, isDecided: boolean, isMoved: boolean): Problems {
  const field = "status.completionTime";
  const { completionTime: end, startTime: start } = now;
  const complete = isTrue(now, "Complete");
  if (isDecided && end && !complete)
    yield invalid(field, end, "cannot set completionTime when there is no Complete=True condition");
  if (isDecided && !end && complete) yield required(field, "completionTime is required for Complete jobs");
  if (isMoved && start && end && Date.parse(end) < Date.parse(start))
    yield invalid(field, end, "must be equal to or after `startTime`");
}

function* indexes(
  { completions, backoffLimitPerIndex, completionMode }: JobSpec,
  { completedIndexes: completed = "", failedIndexes: failed }: JobStatus,
  changed: (...fields: readonly (keyof JobStatus)[]) => boolean,
): Problems {
  const [completedField, failedField] = ["status.completedIndexes", "status.failedIndexes"];
  const wrong = (text: string): string | undefined => {
    const counted = completions === undefined ? 0 : countIndexes(text, completions);
    return typeof counted === "string" ? counted : undefined;
  };
  const ofCompleted = changed("completedIndexes") ? wrong(completed) : undefined;
  if (ofCompleted) yield invalid(completedField, completed, `error parsing completedIndexes: ${ofCompleted}`);
  const isPerIndex = backoffLimitPerIndex !== undefined;
  const ofFailed = changed("failedIndexes") && isPerIndex ? wrong(failed ?? "") : undefined;
  if (ofFailed) yield invalid(failedField, failed, `error parsing failedIndexes: ${ofFailed}`);
  if (changed("completedIndexes") && completed !== "" && completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    yield invalid(completedField, completed, detail);
  }
  if (changed("failedIndexes") && failed !== undefined && !isPerIndex) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    yield invalid(failedField, failed, detail);
  }
  if (!changed("failedIndexes", "completedIndexes") || completions === undefined) return;
  const both = firstCommonIndex(completed, failed ?? "", completions);
  if (both !== undefined)
    yield invalid(failedField, failed, `failedIndexes and completedIndexes overlap at index: ${both}`);
}

/** A terminal condition stays true, and counters of ended pods only grow. */
function* transitions(spec: JobSpec, now: JobStatus, before: JobStatus): Problems {
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(before, type) && !isTrue(now, type))
      yield* refusedConditions(`cannot disable the terminal ${type}=True condition`);
  }
  // An Indexed Job whose completions equal its parallelism may be scaled down.
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  for (const counter of mayShrink ? (["failed"] as const) : (["failed", "succeeded"] as const)) {
    if ((now[counter] ?? 0) < (before[counter] ?? 0))
      yield invalid(`status.${counter}`, now[counter] ?? 0, `cannot decrease the ${counter} counter`);
  }
  const { completionTime: end, startTime: start } = now;
  if (end && before.completionTime && end !== before.completionTime)
    yield invalid("status.completionTime", end, "field is immutable");
  const isResuming =
    isTrue(before, "Suspended") &&
    (now.conditions ?? []).some(({ type, status }) => type === "Suspended" && status === "False");
  if (before.startTime && before.startTime !== start && !spec.suspend && !isResuming)
    yield invalid("status.startTime", start ?? null, "field is immutable for unsuspended job once set");
  const wasMet = isTrue(before, "SuccessCriteriaMet");
  const met = isTrue(now, "SuccessCriteriaMet");
  if (wasMet && !met) yield* refusedConditions("cannot disable the SuccessCriteriaMet=True condition");
  if (isTrue(before, "Complete") && !wasMet && met) {
    const detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    yield* refusedConditions(detail);
  }
}
