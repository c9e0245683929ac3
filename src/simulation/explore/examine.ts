import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import {
  type Ref,
  type Run,
  type Scenario,
  type Step,
  type Verdict,
  refOf,
  refText,
} from "../contract/index.ts";
import {
  type Chance,
  type Difference,
  chanceOf,
  derivedIn,
  differenceText,
  differencesBesides,
  differencesOf,
  impossibleIn,
  isImpossible,
  judgeState,
  judgeTrace,
  pausedObjects,
} from "../verdicts/index.ts";
import { outcomeOf, simulate } from "../world/index.ts";

/** A verdict before its class is known: `differs` is named after what brings it about. */
export interface Finding extends Omit<Verdict, "class"> {
  readonly class: Verdict["class"] | "differs";
  readonly scenario: Scenario;
  /** The message, a line for each thing that it tells. */
  readonly lines: readonly string[];
  /** The run that shows it. */
  readonly run: Run;
  /** The outcome that it should have had. */
  readonly compared: "undisturbed" | "fresh" | undefined;
}

/** What a scenario does without faults. */
export interface Baseline {
  readonly plain: Run;
  /** What is wrong even so. */
  readonly findings: readonly Finding[];
  /** What it leaves to chance: no other run need have it. Another run shows it, once somebody asks. */
  readonly chance: () => Promise<Chance>;
}

/** Runs a scenario without faults: twice, and once from scratch with the same end in mind. */
export async function baselineOf(scenario: Scenario): Promise<Baseline> {
  const { faults: _faults, ...undisturbed } = scenario;
  const { seed = 1 } = scenario;
  const plain = await simulate(undisturbed);
  const own = judge(plain, undisturbed);
  let asked: Promise<Chance> | undefined;
  const chance = (): Promise<Chance> =>
    (asked ??= outcomeOf({ ...undisturbed, seed: seed + 7919 }).then((again) =>
      chanceOf(plain.state, again.state, derivedIn(plain, again)),
    ));
  if (own.length > 0) return { plain, findings: own, chance };
  const fresh = await outcomeOf({
    ...undisturbed,
    ...lastWords(undisturbed, plain.rejected),
    seed: seed + 1,
  });
  const findings = await compare(plain, fresh, { scenario: undisturbed, compared: "fresh", chance });
  return { plain, findings, chance };
}

/**
 * The shortest way to what the steps ask for in the end: each object is applied once, as it was last. What exists from
 * the start and is changed or deleted by a step is not there before.
 */
function lastWords(
  { objects: given = [], steps = [] }: Scenario,
  rejected: readonly Step[],
): Required<Pick<Scenario, "objects" | "steps">> {
  const objects = new Map(given.map((object) => [refText(refOf(object)), object]));
  const touched = new Set<string>();
  const statuses = new Map<string, Step & { readonly do: "status" }>();
  for (const step of steps) {
    if (rejected.includes(step)) continue;
    if (step.do === "apply" || step.do === "patch" || step.do === "delete")
      touched.add(refText(step.do === "apply" ? refOf(step.object) : step.target));
    if (step.do === "apply") objects.set(refText(refOf(step.object)), withMetadata(step.object, objects));
    else if (step.do === "status") {
      const key = refText(step.target);
      const before = statuses.get(key)?.status ?? {};
      statuses.set(key, {
        ...step,
        status: applyMergePatch(before as JSONObject, step.status as JSONObject),
      });
    } else if (step.do === "patch") {
      const key = refText(step.target);
      const before = objects.get(key);
      if (before)
        objects.set(
          key,
          applyMergePatch(
            before as unknown as JSONObject,
            step.merge as JSONObject,
          ) as unknown as KubernetesObject,
        );
    } else if (step.do === "delete") {
      for (const [key, object] of objects)
        if (isWithin(object, step.target)) {
          touched.add(key);
          objects.delete(key);
          statuses.delete(key);
        }
    }
  }
  const applies = [...objects].flatMap(([key, object]): Step[] =>
    touched.has(key) ? [{ do: "apply", object }] : [],
  );
  return {
    objects: given.filter((object) => !touched.has(refText(refOf(object)))),
    steps: statuses.size === 0 ? applies : [...applies, { do: "settle" }, ...statuses.values()],
  };
}

/** Whether an object goes with what is deleted: it is that, or in that namespace. */
function isWithin(object: KubernetesObject, deleted: Ref): boolean {
  if (refText(refOf(object)) === refText(deleted)) return true;
  return (
    deleted.apiVersion === "v1" && deleted.kind === "Namespace" && object.metadata.namespace === deleted.name
  );
}

/** Labels and annotations that a later step omits stay, as with `kubectl replace` of what was read. */
function withMetadata(
  object: KubernetesObject,
  objects: ReadonlyMap<string, KubernetesObject>,
): KubernetesObject {
  const { labels, annotations } = objects.get(refText(refOf(object)))?.metadata ?? {};
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...((labels ?? object.metadata.labels) && { labels: object.metadata.labels ?? labels }),
      ...((annotations ?? object.metadata.annotations) && {
        annotations: object.metadata.annotations ?? annotations,
      }),
    },
  };
}

/** A disturbed run, and what is wrong with it. */
export interface Examined {
  readonly run: Run;
  readonly findings: readonly Finding[];
}

/** Runs a scenario with its faults, and compares the outcome with that of the undisturbed run. */
export async function examine(scenario: Scenario, { plain, chance }: Baseline): Promise<Examined> {
  const run = await simulate(scenario);
  const own = judge(run, scenario);
  const findings =
    own.length > 0 ? own : await compare(run, plain, { scenario, compared: "undisturbed", chance });
  return { run, findings };
}

function judge(run: Run, scenario: Scenario): Finding[] {
  return [...judgeTrace(run, scenario), ...judgeState(run, scenario)].map((verdict) => ({
    ...verdict,
    lines: [verdict.message],
    scenario,
    run,
    compared: undefined,
  }));
}

interface Comparison extends Pick<Finding, "scenario" | "compared"> {
  readonly chance: Baseline["chance"];
}

async function compare(run: Run, other: Run, { scenario, compared, chance }: Comparison): Promise<Finding[]> {
  const derived = derivedIn(run, other);
  const paused = [run, other].flatMap(({ state }) => [...pausedObjects(state, scenario)]);
  const leftOut = { ...derived, objects: new Set([...derived.objects, ...paused]) };
  // Mostly there is nothing that chance would have to explain.
  if (differencesOf(run.state, other.state, leftOut).length === 0) return [];
  const impossible = impossibleIn(other, [run.state, other.state]);
  const differences = differencesBesides(await chance(), run.state, other.state, leftOut).filter(
    (each) => !isImpossible(impossible, each) && !isAllowed(each, scenario),
  );
  if (differences.length === 0) return [];
  const lines = differences.map(differenceText);
  return [
    {
      class: "differs",
      message: lines.join("; "),
      lines,
      objects: objectsOf(differences),
      scenario,
      run,
      compared,
    },
  ];
}

/** Whether the scenario leaves a difference to the operators. What may stay may be there in one of the runs only. */
function isAllowed({ field, of }: Difference, { mayStay, mayDiffer }: Scenario): boolean {
  return mayDiffer?.(of, field) === true || (field === undefined && mayStay?.(of) === true);
}

function objectsOf(differences: readonly Difference[]): string[] {
  return [...new Set(differences.map(({ object }) => object))];
}
