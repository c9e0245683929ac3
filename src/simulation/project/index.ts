export { exploreProject, type ProjectExploration } from "./explore-project.ts";
