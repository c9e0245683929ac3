import { spawn } from "node:child_process";
import { join } from "node:path";
import { repository } from "../support/source-imports.ts";

/** A program with its arguments. */
export type Step = readonly [program: string, ...args: string[]];

/** A program of this repository, from its sources. */
export const program = (file: string, ...args: string[]): Step => [
  process.execPath,
  "--conditions=@tsbuilder/source",
  "--import",
  "tsx",
  file,
  ...args,
];

/** The test suites of `.config/vitest.config.ts` that are named. */
export const vitest = (projects: readonly string[], ...args: string[]): Step => [
  process.execPath,
  join("node_modules", "vitest", "vitest.mjs"),
  "run",
  "--config",
  ".config/vitest.config.ts",
  ...projects.flatMap((project) => ["--project", project]),
  ...args,
];

/** A script of package.json. */
export const script = (name: string): Step => ["npm", "run", "--silent", name];

/** Runs steps until one fails, in this terminal, and returns the exit code. */
export async function runSteps(steps: readonly Step[]): Promise<number> {
  // A terminal sends Ctrl+C to the program as well, which ends as it must.
  process.on("SIGINT", () => undefined);
  for (const [command, ...args] of steps) {
    const code = await run(command, args);
    if (code !== 0) return code;
  }
  return 0;
}

function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: repository, stdio: "inherit" });
    const stop = () => child.kill("SIGTERM");
    process.on("SIGTERM", stop);
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("SIGTERM", stop);
      resolve(code ?? 1);
    });
  });
}
