export { controllerNames, type ControllerName, parseControllerNames } from "./names.ts";
export { startControllers } from "./start-controllers.ts";
