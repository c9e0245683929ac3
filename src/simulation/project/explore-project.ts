import { explore, type Exploration } from "../explore/index.ts";
import { budgetOf } from "./budget.ts";
import { type ProjectExploration, projectScenario } from "./project-scenario.ts";
import { summaryOf } from "./summary.ts";

/**
 * Explores a controller of the project in the current folder, prints how far it came, and throws the story of the first
 * failure. It takes a moment, or as long as `tsbuilder test --explore --time 10m` says.
 */
export async function exploreProject(project: ProjectExploration): Promise<Exploration> {
  const budget = budgetOf(process.env);
  const exploration = await explore(await projectScenario(project), budget);
  // oxlint-disable-next-line eslint/no-console -- the test runner shows it beside the test
  console.log(`${project.kind.kind}: ${summaryOf(exploration, budget)}`);
  const { failure } = exploration;
  if (failure) throw new Error(`${failure.story}\n\nA test that replays it:\n\n${failure.test}`);
  return exploration;
}
