export * from "./start-controllers.ts";
export { parseStages } from "./stage.ts";
export type { Stage } from "./stage.ts";
