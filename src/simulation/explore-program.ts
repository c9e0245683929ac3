// The exploration of an operator that runs in a process of its own, in any language. Its users begin with samples; its runs take real
// time, so that several go on side by side; and what a run shows is played again before anybody is told.

import { findKind } from "@tsbuilder/apimachinery/kinds";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ControllerName, controllerNames } from "@tsbuilder/cluster";
import type { OperatorProgram, Scenario } from "./contract/index.ts";
import {
  type Exploration,
  type Failure,
  type Share,
  exploreShare,
  failureOf,
  playScenario,
} from "./explore/explore.ts";
import type { Finding } from "./explore/examine.ts";
import type { CRD, UserObject } from "./operations/draw-object.ts";
import { loadKnownTypesCheck } from "./operations/kubernetes-types.ts";
import { type OperationsOptions, plansFor } from "./operations/operations-for.ts";
import { mergePoints } from "./share.ts";

/** An operator in any language, to be explored. */
export interface ProgramExploration {
  readonly name: string;
  readonly program: OperatorProgram;
  /** The CRD of the kind that users change. */
  readonly crd: CRD & KubernetesObject;
  /** The other CRDs, the operator's roles, the configurations of its webhooks, and what users have besides. */
  readonly objects: readonly KubernetesObject[];
  /** Objects of the kind that work: users create them under other names, and change them. */
  readonly samples: readonly KubernetesObject[];
  readonly operations?: OperationsOptions;
  /** Milliseconds after which the operator looks again by itself. Default: 12,000. */
  readonly patience?: number | undefined;
}

/** How long to explore, and who is told. */
export interface ProgramBudget {
  /** Milliseconds. */
  readonly time: number;
  /** The number of runs that go on side by side. */
  readonly places: number;
  /** The first seed. Default: 1. */
  readonly from?: number | undefined;
  /** How often a mistake is played again. */
  readonly plays: number;
  /** Is told of each mistake that came back. Returns whether to go on. */
  readonly onMistake: (mistake: ProgramMistake) => boolean;
}

/** A mistake, and how often it came back. */
export interface ProgramMistake extends Failure {
  readonly cameBack: number;
  readonly plays: number;
}

/** What an exploration of a program has reached. */
export interface ProgramReport {
  readonly runs: number;
  /** Mistakes that came back in no play. */
  readonly unconfirmed: number;
  /** The kinds of writes at which the process died, and those at which it didn't. */
  readonly crashPoints: Exploration["crashPoints"];
}

/** A program that never rests is stopped soon: its runs take real time. */
const limits = { time: 60_000, changes: 800, changesOfObject: 80 };

/** The number of smaller scenarios that are tried for a mistake. */
const shrinks = 16;

/** The controllers that do not run: they sign certificates, and scale by metrics that nobody measures here. */
const omittedControllers = new Set<ControllerName>([
  "csrapproving",
  "csrsigning",
  "horizontalpodautoscaling",
]);

/** Explores a program for a while. */
export async function exploreProgram(
  exploration: ProgramExploration,
  { time, places, from = 1, plays, onMistake }: ProgramBudget,
): Promise<ProgramReport> {
  const end = performance.now() + time;
  const known = new Set<string>();
  const told = new Set<string>();
  const reached: Exploration[] = [];
  let unconfirmed = 0;
  let isOver = false;
  const make = await scenarioMaker(exploration);
  const explorePlace = async (place: number): Promise<void> => {
    const share: Share = {
      has: (plan) => plan % places === place,
      noteFailure: () => {},
      isOver: () => isOver || performance.now() >= end,
      isKnown: (finding) => {
        const subjects = subjectsOf(finding);
        if (subjects.every((one) => known.has(one))) return true;
        for (const one of subjects) known.add(one);
        return false;
      },
    };
    for (let seed = from; !share.isOver(seed);) {
      const budget = { seeds: Infinity, from: seed, time: end - performance.now(), shrinks };
      const found = await exploreShare((random, plan) => make(plan, random), budget, share);
      reached.push(found);
      const { failure } = found;
      if (!failure) return;
      seed = failure.seed + 1;
      const { class: mistake, message } = failure.verdict;
      const subjects = message.split("; ").map((line) => subjectIn(mistake, line));
      if (subjects.every((one) => told.has(one))) continue;
      for (const one of subjects) told.add(one);
      const { length: cameBack } = await playScenario(failure.scenario, plays);
      if (cameBack === 0) unconfirmed++;
      else if (!isOver && !onMistake({ ...failure, cameBack, plays })) isOver = true;
    }
  };
  await Promise.all(Array.from({ length: places }, (_, place) => explorePlace(place)));
  return {
    runs: reached.reduce((sum, { runs }) => sum + runs, 0),
    unconfirmed,
    crashPoints: mergePoints(reached.map(({ crashPoints }) => crashPoints)),
  };
}

/** Plays a scenario of an exploration again. Counts the plays that show a mistake, and tells the first of them. */
export async function playProgram(
  exploration: ProgramExploration,
  { steps, faults, seed }: Pick<Scenario, "steps" | "faults" | "seed">,
  plays: number,
): Promise<{ readonly cameBack: number; readonly story: string | undefined }> {
  const scenario = { ...worldOf(exploration), steps, faults, seed } as Scenario;
  const findings = await playScenario(scenario, plays);
  const [first] = findings;
  return { cameBack: findings.length, story: first && (await failureOf(first, seed ?? 1)).story };
}

type Maker = (plan: number, random: Parameters<ReturnType<typeof plansFor>>[0]) => Scenario;

async function scenarioMaker(exploration: ProgramExploration): Promise<Maker> {
  const { crd, samples, operations = {} } = exploration;
  const steps = plansFor(
    crd,
    {
      wrong: false,
      namespaces: ["default"],
      steps: 6,
      ...operations,
      ...(samples.length > 0 && { names: namesOf(exploration) }),
    },
    { check: await loadKnownTypesCheck(), samples: samples as readonly UserObject[] },
  );
  const world = worldOf(exploration);
  return (plan, random) => ({ ...world, steps: steps(random, plan) });
}

/** Returns the names of objects that users create: those of the samples, and others like them. */
function namesOf({ samples, operations }: ProgramExploration): readonly string[] {
  const names = [...new Set(samples.flatMap(({ metadata }) => metadata.name ?? []))];
  return operations?.names ?? [...names, ...names.map((name) => `${name}-2`)];
}

function worldOf({ name, program, crd, objects, patience }: ProgramExploration): Omit<Scenario, "steps"> {
  const crds = [crd, ...objects.filter(isDefinition)];
  return {
    crds,
    objects: objects.filter((object) => !isDefinition(object) && isServed(object, crds)),
    operators: [{ name, setup: () => {}, program }],
    // Operators write defaults into what users asked for, who write it anew without them.
    mayDiffer: ({ kind }, field) => kind === crd.spec.names.kind && field?.startsWith("spec") === true,
    controllers: controllerNames.filter((controller) => !omittedControllers.has(controller)),
    limits: { ...limits, ...(patience !== undefined && { patience }) },
  };
}

function isDefinition(object: KubernetesObject): object is CRD & KubernetesObject {
  return object.kind === "CustomResourceDefinition";
}

/** Returns whether the cluster of a run has the kind of an object. */
function isServed({ apiVersion, kind }: KubernetesObject, crds: readonly CRD[]): boolean {
  const [version, group = ""] = apiVersion.split("/").toReversed() as [string, string?];
  return (
    findKind({ group, version }, kind) !== undefined ||
    crds.some(({ spec }) => spec.group === group && spec.names.kind === kind)
  );
}

/** Names what a line of a told mistake is about: `history ConfigMap.v1 metadata.labels`. */
function subjectIn(mistake: string, line: string): string {
  const [, kind = "", field = ""] = /^(\S+) \S+: (\S+) is /u.exec(line) ?? [];
  return `${mistake} ${kind === "" ? line.replaceAll(/\d+/gu, "0") : `${kind} ${field}`}`;
}

/** Names what a mistake is about, without the names of objects: the same mistake shows in many runs. */
function subjectsOf({ class: found, compared, differences, objects, message }: Finding): string[] {
  const places = differences.map(({ of, field = "" }) => `${of.kind} ${field.replaceAll(/\d+/gu, "0")}`);
  const kinds = objects.map((object) => object.split(" ")[0]);
  const about = places.length > 0 ? places : kinds.length > 0 ? kinds : [message.replaceAll(/\d+/gu, "0")];
  return [...new Set(about)].map((place) => `${found} ${compared} ${place}`);
}
