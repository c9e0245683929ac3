import type { ControllerContext } from "../../control-loop/controller.ts";
import type { Stage } from "./stage.ts";

/** What the controllers that apply stages get. */
export interface StagesContext extends ControllerContext {
  /** The stages that objects go through: see `parseStages`. */
  readonly stages?: readonly Stage[] | undefined;
}
