export type { ControllerName } from "./all-controllers.ts";
export { controllerNames, parseControllerNames } from "./names.ts";
export { startControllers } from "./start-controllers.ts";
export { parseStages } from "./stages/parse-stages.ts";
export type { Stage } from "./stages/stage.ts";
