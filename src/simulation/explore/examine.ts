import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { applyMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Fault, Run, Scenario, Step, TraceEvent, Verdict } from "../contract/index.ts";
import { beginOf, eventsIn } from "../contract/run.ts";
import { type Ref, refText, refTextOf } from "../contract/state.ts";
import type { Chance, Difference } from "../verdicts/differences.ts";
import {
  chanceOf,
  differenceText,
  differencesBesides,
  differencesOf,
  nameOf,
} from "../verdicts/differences.ts";
import { claimKeyOf, deletedClaims, lostClaimsVerdict, outlivedClaims } from "../verdicts/claims.ts";
import { endsRefused, judgeState, judgeTrace, leftoverOf } from "../verdicts/judge.ts";
import {
  derivedIn,
  expiredIn,
  impossibleIn,
  isImpossible,
  pausedObjects,
  recurringIn,
} from "../verdicts/left-out.ts";
import { presentIn, takenIn } from "../verdicts/taken.ts";
import {
  lateOutcomeOf,
  outcomeOf,
  patientOutcomeOf,
  simulate,
  simulateDisturbed,
  simulatePatiently,
} from "../world/simulate.ts";
import { withRelease } from "../world/releases.ts";
import { stepText } from "../world/user.ts";

/** A verdict whose class may not be known yet: `differs` gets its class once the scenario is shrunk. */
export interface Finding extends Omit<Verdict, "class"> {
  readonly class: Verdict["class"] | "differs";
  readonly scenario: Scenario;
  /** The message by lines: one for each difference. */
  readonly lines: readonly string[];
  /** The run that shows the mistake. */
  readonly run: Run;
  /** The run whose outcome `run` should have had; undefined if `run` is wrong by itself. */
  readonly compared: "undisturbed" | "fresh" | undefined;
  /** The scenario of that run. */
  readonly reference: Scenario | undefined;
  /** The differences between the two. */
  readonly differences: readonly Difference[];
}

/** A scenario without faults: the run that disturbed ones are compared with. */
export interface Baseline {
  readonly scenario: Scenario;
  readonly plain: Run;
  /** Mistakes that the scenario shows without faults. */
  readonly findings: readonly Finding[];
  /**
   * Returns the fields and names that differ by chance between undisturbed runs, or because an operator gives up what takes longer
   * than these faults. The first call makes a run to find out.
   */
  readonly chance: (faults: readonly Fault[]) => Promise<Chance>;
}

/** A disturbed run, and its mistakes. */
export interface Examined {
  readonly run: Run;
  readonly findings: readonly Finding[];
}

/** Runs a scenario with its faults, and compares the outcome with that of the undisturbed run. */
export async function examine(scenario: Scenario, baseline: Baseline): Promise<Examined> {
  const { plain, chance, scenario: reference } = baseline;
  const comparison = { scenario, compared: "undisturbed", reference, chance } as const;
  const run = await simulateDisturbed(scenario, plain);
  const outlived = outlivedClaims(run, plain, scenario).map(refTextOf);
  const mistakes = [
    ...(await judge(run, scenario)),
    ...(outlived.length > 0 ? [findingOf(leftoverOf(outlived), run, scenario)] : []),
  ];
  if (mistakes.length > 0) return { run, findings: mistakes };
  const findings = await compareLastly(run, plain, comparison);
  if (findings.length > 0) return { run, findings };
  const lost = await lostClaims(run, plain, reference);
  return {
    run,
    findings:
      lost.length > 0 ? [findingOf({ class: "differs", ...lostClaimsVerdict(lost) }, run, scenario)] : [],
  };
}

/**
 * Returns the claims of volumes that were deleted in a disturbed run only, and that are wanted in the end. What users asked
 * for a moment is left aside, which an undisturbed operator may not have seen: a user who waits after each step shows what all
 * of it leads to.
 */
async function lostClaims(run: Run, plain: Run, reference: Scenario): Promise<string[]> {
  const once = deletedClaims(plain);
  const suspected = [...deletedClaims(run)].filter(
    (claim) =>
      !once.has(claim) &&
      plain.state.objects.some(
        (object) => claimKeyOf(object) === claim && !reference.mayDiffer?.(object, undefined),
      ),
  );
  if (suspected.length === 0) return [];
  const steps = (reference.steps ?? []).flatMap((step): Step[] => [step, { do: "settle" }]);
  const patient = deletedClaims(await outcomeOf({ ...reference, steps }));
  return suspected.filter((claim) => !patient.has(claim));
}

/** Compares outcomes. What a run has not come to may only be late, such as a retry that is due a moment after it came to rest. */
async function compareLastly(run: Run, other: Run, comparison: Comparison): Promise<Finding[]> {
  const findings = await compare(run, other, comparison);
  if (findings.length === 0) return [];
  const [lateRun, lateOther] = await inTurn(comparison.scenario, [
    () => patientOutcomeOf(comparison.scenario),
    () => patientOutcomeOf(comparison.reference),
  ]);
  const late = await compare(lateRun!, lateOther!, comparison);
  const names = new Set(late.flatMap(({ differences }) => differences.map(nameOf)));
  return findings.filter(({ differences }) =>
    differences.some((difference) => names.has(nameOf(difference))),
  );
}

/** Makes runs one after the other; side by side if their operators have processes of their own, which take real time. */
async function inTurn<R>({ operators }: Scenario, runs: readonly (() => Promise<R>)[]): Promise<R[]> {
  if (operators.some(({ program }) => program?.runsSideBySide)) return Promise.all(runs.map((run) => run()));
  const made: R[] = [];
  for (const run of runs) made.push(await run());
  return made;
}

/** Runs a scenario without faults, and compares the outcome with that of a fresh start, which asks for the same at once. */
export async function baselineOf(scenario: Scenario): Promise<Baseline> {
  const { faults: _faults, ...undisturbed } = scenario;
  const plain = await simulate(undisturbed);
  const tightened = await refusedSince(undisturbed, plain);
  const judged = [...tightened, ...(await judge(plain, undisturbed))];
  const mistakes = judged[0] && (await isDueAnyway(judged[0])) ? judged.slice(1) : judged;
  const chance = chanceIn(undisturbed, plain);
  const baseline = { scenario: undisturbed, plain, chance };
  if (mistakes.length > 0) return { ...baseline, findings: mistakes };
  const taken = await takenFromOthers(undisturbed, plain);
  if (taken) return { ...baseline, findings: [findingOf(taken, plain, undisturbed)] };
  return { ...baseline, findings: await compareWithFreshStart(undisturbed, plain, chance) };
}

/** Returns the verdict on steps that the former release of an operator accepts, and that are rejected now. */
async function refusedSince(scenario: Scenario, plain: Run): Promise<Finding[]> {
  const { name, former } = scenario.operators.find((operator) => operator.former?.crds) ?? {};
  if (!former || name === undefined || plain.rejected.length === 0) return [];
  const before = await outcomeOf(withRelease(scenario, name, former));
  const step = plain.rejected.find((one) => !before.rejected.includes(one));
  if (step?.do !== "apply") return [];
  const object = refTextOf(step.object);
  const answer = plain.trace.find(
    (event) => event.type === "step" && event.status >= 400 && event.text === stepText(step),
  );
  const why = answer?.type === "step" ? (answer.message ?? answer.status) : "";
  const message = `${object}, which the former release accepts, is rejected: ${why}`;
  return [findingOf({ class: "tightened", message, objects: [object] }, plain, scenario)];
}

/** Returns whether a finding is that a restart does early what would have been done by itself soon after. */
async function isDueAnyway({ run, scenario, class: found }: Finding): Promise<boolean> {
  const changesOf = ({ writes }: Run, events: readonly TraceEvent[]): string[] =>
    events.flatMap((event) =>
      event.type === "change" && event.by in writes
        ? [`${event.change} ${event.resource} ${event.key} ${event.fields.join()}`]
        : event.type === "call" && event.isChange
          ? [event.text]
          : [],
    );
  const early = changesOf(run, eventsIn("restart", run.trace));
  const isAtRest = run.trace.every((event) => event.type !== "phase" || event.rests);
  if (found !== "hot-loop" || !isAtRest || early.length === 0) return false;
  const late = await patientOutcomeOf(scenario);
  const end = beginOf("restart", run.trace);
  const done = new Set(
    changesOf(
      late,
      late.trace.filter(({ at }) => at > end),
    ),
  );
  return early.every((change) => done.has(change));
}

/** Compares the outcome of an undisturbed run with that of a fresh start. */
export async function compareWithFreshStart(
  scenario: Scenario,
  plain: Run,
  chance = chanceIn(scenario, plain),
): Promise<Finding[]> {
  const reference = { ...withSeed(scenario, 1), ...shortestScenario(scenario, plain.rejected) };
  const comparison = { scenario, compared: "fresh", reference, chance } as const;
  return compareLastly(plain, await outcomeOf(reference), comparison);
}

/** Returns the verdict on what the deletion of one object took from others, which would have it if that had never been there. */
async function takenFromOthers(scenario: Scenario, plain: Run): Promise<Verdict | undefined> {
  const suspected = takenIn(plain, scenario);
  if (suspected.length === 0) return undefined;
  const deleted = refText(plain.withoutOne!.deleted);
  const { objects, steps } = shortestScenario(scenario, plain.rejected);
  const others = steps.filter((step) => step.do !== "apply" || refTextOf(step.object) !== deleted);
  const { state } = await outcomeOf({ ...scenario, objects, steps: others });
  const [first] = presentIn(state, suspected);
  if (!first) return undefined;
  const message = `the deletion of ${deleted} took ${first.name}, which is there for ${refText(first.of)}`;
  return { class: "collision", message, objects: [deleted, refText(first.of)] };
}

/** Milliseconds until slow pods are ready: with their start, more than most faults last. */
const slowReady = 25_000;

/** Returns a function that finds out what differs by chance between undisturbed runs. */
function chanceIn(undisturbed: Scenario, plain: Run): Baseline["chance"] {
  const found = new Map<number, Promise<Chance>>();
  // What depends on how long pods take, as a rollout with a deadline does, is left to chance, too, and so is what goes on with
  // time, such as the serial number of what is renewed.
  const find = async (scenario: Scenario, ready: number): Promise<Chance> => {
    const again = await lateOutcomeOf(scenario, ready);
    const chance = chanceOf(plain.state, again.state, derivedIn(plain, again));
    return { ...chance, fields: new Set([...chance.fields, ...recurringIn(again)]) };
  };
  const remember = (scenario: Scenario, ready: number): Promise<Chance> => {
    const chance = found.get(ready) ?? find(scenario, ready);
    found.set(ready, chance);
    return chance;
  };
  return async (faults) => {
    const usual = await remember(withSeed(undisturbed, 7919), slowReady);
    const longest = Math.max(
      ...faults.map((fault) => (fault.fault === "pod" || fault.fault === "node" ? fault.for : 0)),
    );
    if (longest <= slowReady) return usual;
    // Only with the same seed does an operator come to what it gives up.
    const { fields } = await remember(undisturbed, longest);
    return { ...usual, fields: new Set([...usual.fields, ...fields]) };
  };
}

/** Returns a scenario in which everything that it leaves open is decided otherwise. */
export function withSeed(scenario: Scenario, by: number): Scenario {
  return { ...scenario, seed: (scenario.seed ?? 1) + by };
}

/** The most objects whose orders are tried: of four there are 24, of eight 40,320. */
const mostOrdered = 4;

/**
 * Returns whether an undisturbed run came to the outcome that a fresh start has if the objects are applied one after the
 * other, in some order. If there are too many orders, the answer is no.
 */
export async function isOutcomeOfAnOrder(scenario: Scenario, plain: Run): Promise<boolean> {
  const { objects, steps } = shortestScenario(scenario, plain.rejected);
  const applies = steps.filter((step) => step.do === "apply");
  if (applies.length > mostOrdered) return false;
  const rest = steps.slice(applies.length);
  const chance = chanceIn(scenario, plain);
  for (const order of ordersOf(applies)) {
    const inOrder = [...order.flatMap((step): Step[] => [step, { do: "settle" }]), ...rest];
    const reference = { ...scenario, objects, steps: inOrder };
    const comparison = { scenario, compared: "fresh", reference, chance } as const;
    if ((await compare(plain, await outcomeOf(reference), comparison)).length === 0) return true;
  }
  return false;
}

function* ordersOf<T>(list: readonly T[]): Generator<T[]> {
  if (list.length === 0) yield [];
  for (const [index, first] of list.entries())
    for (const others of ordersOf(list.toSpliced(index, 1))) yield [first, ...others];
}

/**
 * Returns the shortest way to the state that the steps ask for: each object is applied once, as the last step left it. An
 * object that exists from the start, and that a step changes or deletes, does not exist before. Namespaces do, because other
 * objects are in them: as the last step left them.
 */
function shortestScenario(
  { objects: initial = [], steps = [] }: Scenario,
  rejected: readonly Step[],
): Required<Pick<Scenario, "objects" | "steps">> {
  const objects = new Map(initial.map((object) => [refTextOf(object), object]));
  const touched = new Set<string>();
  const statuses = new Map<string, Step & { readonly do: "status" }>();
  for (const step of steps) {
    if (step.do === "settle" || rejected.includes(step)) continue;
    const key = step.do === "apply" ? refTextOf(step.object) : refText(step.target);
    if (step.do !== "status") touched.add(key);
    const before = objects.get(key);
    switch (step.do) {
      case "apply":
        objects.set(key, withMetadata(step.object, before));
        break;
      case "status":
        statuses.set(key, { ...step, status: mergePatch(statuses.get(key)?.status ?? {}, step.status) });
        break;
      case "patch":
        if (before) objects.set(key, mergePatch(before, step.merge));
        break;
      case "delete":
        for (const [deletedKey, object] of objects)
          if (isDeletedWith(object, step.target)) {
            touched.add(deletedKey);
            objects.delete(deletedKey);
            statuses.delete(deletedKey);
          }
    }
  }
  const given = initial.flatMap((object) => {
    const key = refTextOf(object);
    if (touched.has(key) && object.kind !== "Namespace") return [];
    touched.delete(key);
    return objects.get(key) ?? [];
  });
  const applies = [...objects].flatMap(([key, object]): Step[] =>
    touched.has(key) ? [{ do: "apply", object }] : [],
  );
  return {
    objects: given,
    steps: statuses.size === 0 ? applies : [...applies, { do: "settle" }, ...statuses.values()],
  };
}

function mergePatch<T extends object>(before: T, merge: object): T {
  return applyMergePatch(before as JSONObject, merge as JSONObject) as T;
}

/** Returns whether a deletion takes an object with it: it is the deleted object, or in the deleted namespace. */
function isDeletedWith(object: KubernetesObject, deleted: Ref): boolean {
  if (refTextOf(object) === refText(deleted)) return true;
  return (
    deleted.apiVersion === "v1" && deleted.kind === "Namespace" && object.metadata.namespace === deleted.name
  );
}

/** Keeps labels and annotations that a later step omits, as the user of a simulation does. */
function withMetadata(object: KubernetesObject, before: KubernetesObject | undefined): KubernetesObject {
  const { metadata } = object;
  const labels = metadata.labels ?? before?.metadata.labels;
  const annotations = metadata.annotations ?? before?.metadata.annotations;
  const kept = { ...(labels && { labels }), ...(annotations && { annotations }) };
  return { ...object, metadata: { ...metadata, ...kept } };
}

/** Returns the first mistake that a scenario shows, without its faults or with them. */
export async function findIn(scenario: Scenario, baselines = new Baselines()): Promise<Finding | undefined> {
  const baseline = await baselines.of(scenario);
  const [found] = baseline.findings;
  if (found || !scenario.faults?.length) return found;
  return (await examine(scenario, baseline)).findings[0];
}

/** Remembers the last undisturbed run: scenarios that differ in faults only have it in common. */
export class Baselines {
  #last: { readonly key: string; readonly baseline: Promise<Baseline> } | undefined;

  of(scenario: Scenario): Promise<Baseline> {
    const { steps, objects, seed } = scenario;
    const key = JSON.stringify([steps, objects, seed]);
    if (this.#last?.key !== key) this.#last = { key, baseline: baselineOf(scenario) };
    return this.#last.baseline;
  }
}

/**
 * Returns the mistakes that a run shows by itself. Timers of processes of their own pass in real time, so that their mistakes must show
 * after a longer wait, too.
 */
async function judge(run: Run, scenario: Scenario): Promise<Finding[]> {
  const findings = judgeRun(run, scenario);
  if (findings.length === 0 || !hasProgram(scenario)) return findings;
  const classes = new Set(findings.map((finding) => finding.class));
  return judgeRun(await simulatePatiently(scenario), scenario).filter((finding) =>
    classes.has(finding.class),
  );
}

function hasProgram({ operators }: Scenario): boolean {
  return operators.some(({ program }) => program);
}

/** Returns the mistakes that a run shows by itself. */
function judgeRun(run: Run, scenario: Scenario): Finding[] {
  return [...judgeTrace(run, scenario), ...judgeState(run, scenario)].map((verdict) =>
    findingOf(verdict, run, scenario),
  );
}

function findingOf(
  verdict: Omit<Verdict, "class"> & Pick<Finding, "class">,
  run: Run,
  scenario: Scenario,
): Finding {
  const unlikeOther = { compared: undefined, reference: undefined, differences: [] };
  return { ...verdict, lines: [verdict.message], scenario, run, ...unlikeOther };
}

interface Comparison extends Pick<Finding, "scenario" | "compared"> {
  /** The scenario of the other run. */
  readonly reference: Scenario;
  readonly chance: Baseline["chance"];
}

/** Returns the mistake that the outcome of a run differs from that of another, unless chance or the scenario explains it. */
async function compare(run: Run, other: Run, comparison: Comparison): Promise<Finding[]> {
  const { chance, ...compared } = comparison;
  const { scenario } = compared;
  // What can't be carried out is tried again and again, for longer than anybody waits.
  if (hasProgram(scenario) && [run, other].some(({ trace }) => endsRefused(trace))) return [];
  const derived = derivedIn(run, other);
  const paused = [run, other].flatMap(({ state }) => [...pausedObjects(state, scenario)]);
  const leftOut = { ...derived, objects: new Set([...derived.objects, ...paused]) };
  const impossible = impossibleIn(other, [run.state, other.state]);
  const expired = new Set([run, other].flatMap((one) => [...expiredIn(one)]));
  const isExplained = (difference: Difference): boolean =>
    isImpossible(impossible, difference) ||
    isAllowed(difference, scenario) ||
    // Nothing says for whom an operator did something outside.
    (paused.length > 0 && difference.of.apiVersion === "external") ||
    (difference.field === undefined && expired.has(difference.object));
  // Mostly nothing differs that isn't allowed, and the run that shows what chance decides can be saved.
  if (differencesOf(run.state, other.state, leftOut).every(isExplained)) return [];
  const differences = differencesBesides(
    await chance(scenario.faults ?? []),
    run.state,
    other.state,
    leftOut,
  ).filter((difference) => !isExplained(difference));
  if (differences.length === 0) return [];
  const lines = differences.map(differenceText);
  const objects = objectsOf(differences);
  return [{ ...compared, class: "differs", message: lines.join("; "), lines, objects, run, differences }];
}

/** Returns whether the scenario allows a difference. An object that may stay may exist in only one of the runs. */
function isAllowed({ field, of, as }: Difference, { mayStay, mayDiffer }: Scenario): boolean {
  const mayBeOther = [{ field, of }, ...(as ? [as] : [])].some((place) => mayDiffer?.(place.of, place.field));
  return mayBeOther || (field === undefined && mayStay?.(of) === true);
}

function objectsOf(differences: readonly Difference[]): string[] {
  return [...new Set(differences.map(({ object }) => object))];
}
