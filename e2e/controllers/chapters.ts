import type { Story } from "./story.ts";
import { jobStories } from "./stories/jobs.ts";
import { workloadStories } from "./stories/workloads.ts";

/** All stories by the file that holds their recorded outcomes. */
export const chapters: Readonly<Record<string, readonly Story[]>> = {
  jobs: jobStories,
  workloads: workloadStories,
};
