// Starts the controllers of a cluster. Those of a kind are beside the kind; this folder has the ones that belong
// to no kind: garbage collector, scheduler, kubelet, and the stages of KWOK's files. README.md says what each does.

import { ControlLoop } from "../control-loop/control-loop.ts";
import { type StagesContext, stageController } from "./stage.ts";
import type { Controller, ControllerFactory } from "../control-loop/controller.ts";
import { type KindControllerName, builtInKinds } from "../kinds/index.ts";
import { garbageCollector } from "./garbage-collector.ts";
import { kubelet } from "./kubelet.ts";
import { scheduler } from "./scheduler/scheduler.ts";

/** The controllers that belong to no kind. */
const ofNoKind = { garbagecollector: garbageCollector, scheduler, kubelet, stage: stageController };

/** A controller as `--controllers` names it. */
export type ControllerName = KindControllerName | keyof typeof ofNoKind;

const ofKinds = builtInKinds.flatMap(({ controllers = {} }): [string, ControllerFactory][] =>
  Object.entries(controllers),
);

const allControllers = {
  ...Object.fromEntries(ofKinds),
  ...ofNoKind,
} as Readonly<Record<ControllerName, (context: StagesContext) => Controller>>;

interface RunningControllers {
  /** Stops them; resolves when their last writes are done. */
  stop(): Promise<void>;
}

const listHint = 'write controllers: ["deployment", "replicaset"], or controllers: controllerNames for all';

/** Starts controllers by name. Each lists the existing objects and watches them from then on. */
export function startControllers(
  context: StagesContext,
  names: readonly ControllerName[],
): RunningControllers {
  // Programs in JavaScript may pass text, such as `all`, which only the command line accepts.
  const unknown =
    typeof names === "string" ? names : names.find((name) => !Object.hasOwn(allControllers, name));
  if (unknown !== undefined)
    throw new TypeError(`controllers is a list of names, without "${unknown as string}": ${listHint}`);
  const loops = [...new Set(names)].map(
    (name) => new ControlLoop(name, (clock) => allControllers[name]({ ...context, clock }), context),
  );
  // A fake clock moves only while all loops are idle.
  const leaves = loops.map((loop) => context.clock.join?.(() => loop.idle()));
  return {
    async stop() {
      for (const leave of leaves) leave?.();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** The controllers that a cluster can run. */
export const controllerNames = Object.keys(allControllers) as readonly ControllerName[];

/** Parses a choice of controllers: `all`, `none`, or names separated by commas. Unknown names are returned. */
export function parseControllerNames(text: string): {
  names: readonly ControllerName[];
  unknown: readonly string[];
} {
  if (text === "all") return { names: controllerNames, unknown: [] };
  if (text === "none" || text === "") return { names: [], unknown: [] };
  const words = text.split(",").map((word) => word.trim());
  return {
    names: controllerNames.filter((name) => words.includes(name)),
    unknown: words.filter((word) => !controllerNames.some((name) => name === word)),
  };
}
