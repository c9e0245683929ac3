export { exploreProject } from "./explore-project.ts";
export type { ProjectExploration } from "./project-scenario.ts";
