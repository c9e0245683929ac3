import type { Controller, ControllerFactory } from "../control-loop/controller.ts";
import { builtInKinds, type KindControllerName } from "../kinds/index.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { kubelet } from "./kubelet/kubelet.ts";
import { scheduler } from "./scheduler/scheduler.ts";
import { stageController } from "./stages/stage-controller.ts";
import type { StagesContext } from "./stages/stages-context.ts";

/** The controllers that belong to no kind. */
const ofNoKind = { garbagecollector: garbageCollector, scheduler, kubelet, stage: stageController };

/** A controller as `--controllers` names it. */
export type ControllerName = KindControllerName | keyof typeof ofNoKind;

const ofKinds = builtInKinds.flatMap(({ controllers = {} }): [string, ControllerFactory][] =>
  Object.entries(controllers),
);

/** All controllers by name. */
export const allControllers = {
  ...Object.fromEntries(ofKinds),
  ...ofNoKind,
} as Readonly<Record<ControllerName, (context: StagesContext) => Controller>>;
