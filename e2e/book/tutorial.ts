import { mkdirSync, rmSync } from "node:fs";
import { run } from "../golden/golden-projects.ts";
import { followSteps } from "./follow-steps.ts";
import { stepsOf, tutorial } from "./written-routes.ts";

/** Makes the tutorial's project in an empty folder by the CLI in this process, without dependencies. */
export async function makeTutorial(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await followSteps(stepsOf(tutorial), { folder }, async (command) => {
    const [program, ...words] = command.split(" ");
    if (program === "tsbuilder") await run(words, folder);
    if (command === "npm run manifests") await run(["manifests"], folder);
    return undefined;
  });
}
