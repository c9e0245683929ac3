import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { exploringHeap } from "../../../src/cli/commands/develop/test.ts";
import { makeTutorial } from "../../book/tutorial.ts";
import { listSources, repository } from "../../support/source-imports.ts";
import { bundleTest } from "./bundle-test.ts";
import { type PlanReport, type Share, shares } from "./share.ts";

// npm run lab -- seeds --only PATTERN [--seeds 1000] [--from 1] [--processes 2] [--story]
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    processes: { type: "string", default: "2" },
    story: { type: "boolean", default: false },
  },
});

/** An exploring test in a project that is there, or made of the book's pages. */
interface Exploring {
  readonly project: string;
  readonly test: string;
  readonly make?: (project: string) => Promise<void>;
}

const tests = new Map<string, Exploring>(
  listSources("e2e/golden")
    .filter((file) => file.endsWith("_explore.test.ts"))
    .map((file) => {
      const [, , name = ""] = file.split("/");
      const project = join(repository, "e2e/golden", name);
      return [`${name}/${basename(file, "_explore.test.ts")}`, { project, test: join(repository, file) }];
    }),
);
// Within the repository, where the packages are found.
const tutorial = join(repository, `node_modules/.cache/tutorial-${process.pid}`);
const tutorialTest = join(tutorial, "src/controller/cronjob_explore.test.ts");
tests.set("cronjob-tutorial/cronjob", { project: tutorial, test: tutorialTest, make: makeTutorial });

const chosen = [...tests].filter(([name]) => values.only !== undefined && new RegExp(values.only).test(name));
if (chosen.length === 0) {
  console.error(`--only takes a pattern of these names: ${[...tests.keys()].join(", ")}`);
  process.exitCode = 1;
}
for (const [name, test] of chosen) if ((await exploreTest(name, test)) > 0) process.exitCode = 1;

/** Explores one operator; returns how many alarms there were. */
async function exploreTest(name: string, { project, test, make }: Exploring): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-seeds-"));
  try {
    await make?.(project);
    const program = await bundleTest(test, folder);
    const started = performance.now();
    let [seeds, runs, alarms] = [0, 0, 0];
    const tell = (): void => {
      const rate = Math.round(runs / ((performance.now() - started) / 60_000));
      console.log(`${name}: ${seeds} seeds, ${runs} disturbed runs, ${alarms} alarms; ${rate} runs a minute`);
    };
    const report = (plan: PlanReport): void => {
      seeds += plan.seeds;
      runs += plan.runs;
      if (plan.alarm) {
        alarms++;
        const { seed, class: found, message, story, test } = plan.alarm;
        console.log(`ALARM ${name} at seed ${seed}: ${found}: ${message}`);
        if (values.story) console.log(`${story}\n\n${test}\n`);
      }
      if (seeds % 100 < plan.seeds && seeds < Number(values.seeds)) tell();
    };
    const all = shares(Number(values.from), Number(values.seeds), Number(values.processes), project);
    await Promise.all(all.map((share) => exploreShare(program, share, report)));
    tell();
    return alarms;
  } finally {
    rmSync(folder, { recursive: true });
    if (make) rmSync(project, { recursive: true, force: true });
  }
}

async function exploreShare(
  program: string,
  share: Share,
  report: (plan: PlanReport) => void,
): Promise<void> {
  const child = fork(program, [JSON.stringify(share)], { execArgv: [exploringHeap, "--enable-source-maps"] });
  child.on("message", (message) => report(message as PlanReport));
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`a process that explored ended with ${code}`);
}
