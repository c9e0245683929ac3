import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, repository } from "../support/source-imports.ts";
import { exploreHelp, type ExploreOptions, parseExploreOptions } from "./explore-options.ts";

if (process.argv.includes("--help")) console.log(exploreHelp);
else process.exitCode = explore(parseExploreOptions(process.argv.slice(2), randomInt(2 ** 31)));

/** Runs one seed after another until the time or the rounds are over, or a case fails. */
function explore(options: ExploreOptions): number {
  const files = listPropertyTests(options.only);
  if (files.length === 0) {
    console.error(
      `no property tests in ${options.only.join(", ")}: --only takes files and folders of this repository`,
    );
    return 1;
  }
  const end = Date.now() + options.time;
  for (let round = 0; round < options.rounds && Date.now() < end; round++) {
    const seed = options.seed + round;
    const started = performance.now();
    const { status, output } = runRound(files, seed, options);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`seed ${seed}: ${files.length} files, ${status === 0 ? "ok" : "FAILED"}, ${seconds} s`);
    if (status !== 0) {
      console.log(output);
      return 1;
    }
  }
  return 0;
}

function runRound(files: readonly string[], seed: number, options: ExploreOptions) {
  const { runs, test, path } = options;
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  // Many more cases than in `npm test` need more time.
  const args = ["run", "--config", ".config/vitest.config.ts", "--testTimeout", "0", "--reporter", "minimal"];
  const projects = ["--project", "unit", "--project", "real"];
  const pattern = test === undefined ? [] : ["--testNamePattern", literally(test)];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, ...args, ...projects, ...pattern, ...files],
    {
      cwd: repository,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      env: {
        ...process.env,
        TSBUILDER_SEED: String(seed),
        TSBUILDER_RUNS: String(runs),
        ...(path !== undefined && { TSBUILDER_PATH: path }),
      },
    },
  );
  return { status, output: stdout + stderr };
}

/** Vitest prints a ">" between a group and its test in names, but expects a space in patterns. */
function literally(name: string): string {
  return `^${name.replaceAll(" > ", " ").replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}$`;
}

/** The files with property tests in the given folders; those that need a real control plane only if named. */
function listPropertyTests(only: readonly string[]): string[] {
  return [...listSources("src"), ...listSources("e2e")].filter(
    (file) =>
      file.endsWith(".test.ts") &&
      (only.length === 0
        ? !/^e2e\/(oracle\/real|tools)\//.test(file)
        : only.some((path) => file === path || file.startsWith(`${path}/`))) &&
      /from "fast-check"|\bexplored\(/.test(readFileSync(join(repository, file), "utf8")),
  );
}
