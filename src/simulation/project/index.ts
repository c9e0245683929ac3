export { examineProject, exploreProject, type ProjectFinding } from "./explore-project.ts";
export type { ProjectExploration } from "./project-scenario.ts";
