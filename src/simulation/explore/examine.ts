import type { Run, Scenario, Verdict } from "../contract/index.ts";
import {
  type Chance,
  chanceOf,
  derivedIn,
  type Difference,
  differencesBesides,
  differencesOf,
  differenceText,
  impossibleIn,
  isImpossible,
  judgeState,
  judgeTrace,
  pausedObjects,
} from "../verdicts/index.ts";
import { outcomeOf, simulate } from "../world/index.ts";
import { lastWords } from "./last-words.ts";

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
