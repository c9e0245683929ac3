import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manager } from "@tsbuilder/runtime";
import { explore } from "@tsbuilder/simulation";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { budgetOf, projectScenario } from "../../../src/simulation/explore-project.ts";
import type { Defect, Exam } from "./exam.ts";

// defects.ts runs it in a process of its own: OPERATOR DEFECT|right SECONDS [--promises]. It prints a line of JSON.

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

const [operator = "", version = "", seconds = "", ...rest] = process.argv.slice(2);
const folder = join(import.meta.dirname, "operators", operator);
const { exam } = (await import(join(folder, "exam.ts"))) as { exam: Exam };
const source = await readFile(join(folder, "controller.ts"), "utf8");
const defect = exam.defects.find(({ name }) => name === version);
if (!defect && version !== "right") throw new Error(`${operator} has no defect ${version}`);

const project = await writeManifests();
const started = process.cpuUsage();
try {
  const scenario = await projectScenario({
    ...exam.world?.(),
    ...(rest.includes("--promises") && exam.promises),
    kind: exam.kind,
    setup: await loadSetup(),
    folder: project,
  });
  const budget =
    seconds === "test" ? budgetOf({}) : { seeds: Infinity, processorTime: Number(seconds) * 1000, from: 1 };
  const { runs, failure } = await explore(scenario, budget);
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

/** Writes the manifests of the operator, as `tsbuilder manifests` does. */
async function writeManifests(): Promise<string> {
  const files: Record<string, string> = {};
  for (const name of await readdir(folder))
    if (/^\w.*\.ts$/u.test(name) && name !== "exam.ts")
      files[`api/${name}`] = await readFile(join(folder, name), "utf8");
  const plan = await planManifests(memoryTree(files));
  if (plan.changes.length === 0) throw new Error(plan.diagnostics.map(({ message }) => message).join("\n"));
  const root = await mkdtemp(join(tmpdir(), "defects-"));
  for (const { path, content = "" } of plan.changes) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
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
