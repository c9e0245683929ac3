export type { Controller, ControllerContext } from "./controller.ts";
export { controllerNames, type ControllerName, parseControllerNames } from "./names.ts";
export type { ClusterObjects, DeleteOptions, ObjectEvent, ResourceName, ServedResource } from "./objects.ts";
export { type RunningControllers, startControllers } from "./start-controllers.ts";
