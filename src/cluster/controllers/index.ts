export * from "./start-controllers.ts";
export { parseStages, type Stage } from "./stage.ts";
