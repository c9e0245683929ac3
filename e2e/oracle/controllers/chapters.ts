import type { Story } from "./story.ts";
import { claimStories } from "./stories/claims.ts";
import { cronJobStories } from "./stories/cron-jobs.ts";
import { daemonSetStories } from "./stories/daemon-sets.ts";
import { dependentStories } from "./stories/dependents.ts";
import { evictionStories } from "./stories/evictions.ts";
import { jobEndingStories } from "./stories/job-endings.ts";
import { jobStories } from "./stories/jobs.ts";
import { mirroredEndpointStories } from "./stories/mirrored-endpoints.ts";
import { replicationControllerStories } from "./stories/replication-controllers.ts";
import { schedulingStories } from "./stories/scheduling.ts";
import { serviceStories } from "./stories/services.ts";
import { workloadStories } from "./stories/workloads.ts";

/** All stories by the file that holds their recorded outcomes. */
export const chapters: Readonly<Record<string, readonly Story[]>> = {
  claims: claimStories,
  "cron-jobs": cronJobStories,
  "daemon-sets": daemonSetStories,
  dependents: dependentStories,
  evictions: evictionStories,
  "job-endings": jobEndingStories,
  jobs: jobStories,
  "mirrored-endpoints": mirroredEndpointStories,
  "replication-controllers": replicationControllerStories,
  scheduling: schedulingStories,
  services: serviceStories,
  workloads: workloadStories,
};
