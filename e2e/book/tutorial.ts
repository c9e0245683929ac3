import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../golden/golden-projects.ts";
import { repository } from "../support/source-imports.ts";
import { followSteps } from "./follow-steps.ts";
import { readSteps, type Step } from "./read-steps.ts";

const pages = "src/book/cronjob-tutorial";

/** What the pages of the CronJob tutorial have their reader do, from the first page to the last. */
export function tutorialSteps(): Step[] {
  return readdirSync(join(repository, pages))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .flatMap((name) => readSteps(`${pages}/${name}`, readFileSync(join(repository, pages, name), "utf8")));
}

/** Makes the tutorial's project in an empty folder by the CLI in this process, without dependencies. */
export async function makeTutorial(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await followSteps(tutorialSteps(), folder, async (command) => {
    const [program, ...words] = command.split(" ");
    if (program === "tsbuilder") await run(words, folder);
    if (command === "npm run manifests") await run(["manifests"], folder);
    return undefined;
  });
}
