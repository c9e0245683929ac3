import type { ControllerContext } from "../../control-loop/controller.ts";
import type { Stage } from "./stage.ts";

/** What controllers get that know of stages. */
export interface StagesContext extends ControllerContext {
  /** The stages that the user wants objects to go through: see `parseStages`. */
  readonly stages?: readonly Stage[] | undefined;
}
