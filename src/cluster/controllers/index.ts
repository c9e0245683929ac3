export type { ControllerName } from "./start-controllers.ts";
export { controllerNames, parseControllerNames } from "./start-controllers.ts";
export { startControllers } from "./start-controllers.ts";
export { parseStages } from "./stage.ts";
export type { Stage } from "./stage.ts";
