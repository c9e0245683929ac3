import { explore, seedsPerPlan } from "../../../src/simulation/explore/explore.ts";
import { type ProjectExploration, projectScenario } from "../../../src/simulation/project-scenario.ts";
import type { PlanReport, Share } from "./share.ts";

export { external } from "../../../src/simulation/index.ts";

/** Stands in for `exploreProject` of `@tsbuilder/simulation`: explores this process's share, and reports each plan. */
export async function exploreProject(project: ProjectExploration): Promise<{ failure: undefined }> {
  const { plans, from, end, folder } = JSON.parse(process.argv[2]!) as Share;
  const { make } = await projectScenario({ ...project, folder });
  for (const plan of plans) {
    const first = Math.max(from, plan * seedsPerPlan);
    const seeds = Math.min(end, (plan + 1) * seedsPerPlan) - first;
    const { runs, failure } = await explore(make, { from: first, seeds });
    const report: PlanReport = {
      seeds,
      runs,
      ...(failure && {
        alarm: { ...failure.verdict, seed: failure.seed, story: failure.story, test: failure.test },
      }),
    };
    process.send!(report);
  }
  return { failure: undefined };
}
