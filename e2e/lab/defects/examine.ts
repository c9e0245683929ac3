import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manager } from "@tsbuilder/runtime";
import { type ExploreOptions, explore } from "@tsbuilder/simulation";
import { budgetOf } from "../../../src/simulation/explore-project.ts";
import { projectScenario } from "../../../src/simulation/project-scenario.ts";
import type { Defect, Exam } from "./exam.ts";
import { operators, writeManifests } from "./write-manifests.ts";

// defects.ts runs it in a process of its own: OPERATOR DEFECT|right SECONDS|N-runs|test SEED [--promises] [--released]. It prints a line of JSON.

/** How an exploration of one version of an operator ended. */
export interface Finding {
  readonly runs: number;
  /** Seconds of processor time, without the start of the process. */
  readonly seconds: number;
  readonly failure?: {
    readonly class: string;
    readonly seed: number;
    readonly message: string;
    readonly story: string;
  };
}

const [operator = "", version = "", budget = "", from = "", ...rest] = process.argv.slice(2);
const folder = join(operators, operator);
const { exam } = (await import(join(folder, "exam.ts"))) as { exam: Exam };
const source = await readFile(join(folder, "controller.ts"), "utf8");
const defect = exam.defects.find(({ name }) => name === version);
if (!defect && version !== "right") throw new Error(`${operator} has no defect ${version}`);

const project = await writeManifests(operator);
const right = (await import(join(folder, "controller.ts"))) as { setup: (manager: Manager) => void };
const started = process.cpuUsage();
try {
  const world = exam.world?.();
  const release = { ...right, ...(world?.webhooks && { webhooks: world.webhooks }) };
  const { make } = await projectScenario({
    ...world,
    ...(rest.includes("--promises") && exam.promises),
    kind: exam.kind,
    setup: await loadSetup(),
    folder: project,
    ...(rest.includes("--released") && { former: () => Promise.resolve(release), from: project }),
  });
  const { runs, failure } = await explore(make, { from: Number(from), ...readBudget(budget) });
  const { user, system } = process.cpuUsage(started);
  const finding: Finding = {
    runs,
    seconds: (user + system) / 1e6,
    ...(failure && {
      failure: {
        class: failure.verdict.class,
        seed: failure.seed,
        message: failure.verdict.message,
        story: failure.story,
      },
    }),
  };
  console.log(JSON.stringify(finding));
} finally {
  await rm(project, { recursive: true });
}

function readBudget(text: string): ExploreOptions {
  if (text === "test") return budgetOf({});
  return text.endsWith("-runs")
    ? { seeds: Number.parseInt(text, 10) }
    : { seeds: Infinity, processorTime: Number(text) * 1000 };
}

/** Loads the operator with its defect. The wrong source is there only while it is loaded, because its imports are relative. */
async function loadSetup(): Promise<(manager: Manager) => void> {
  const path = join(folder, defect ? `.${defect.name}.ts` : "controller.ts");
  if (defect) await writeFile(path, withDefect(defect));
  try {
    return ((await import(path)) as { setup: (manager: Manager) => void }).setup;
  } finally {
    if (defect) await rm(path);
  }
}

function withDefect({ name, edits }: Defect): string {
  return edits.reduce((text, { right, wrong }) => {
    if (text.split(right).length !== 2)
      throw new Error(`${operator}/${name}: controller.ts must contain this exactly once:\n${right}`);
    return text.replace(right, () => wrong);
  }, source);
}
