import { writeFileSync } from "node:fs";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { type ControlPlane, startControlPlane } from "../../oracle/real/control-plane.ts";
import { askServer, type Verdict } from "./ask-real-server.ts";
import { join } from "node:path";
import { cache, crdsOf, histories, type History } from "./history.ts";
import { type ApiChange, compareCrds } from "../../../src/lifecycle/compare-crds.ts";
import { placeOfChange } from "../../../src/lifecycle/allowances.ts";

// npm run lab -- histories [--show] [--real] [MODULE…]: compares the CRDs of every version with those of the version before, and prints
// what breaks whom. --real asks a kube-apiserver about each witness.

const args = process.argv.slice(2);
const names = args.filter((word) => !word.startsWith("--"));
const chosen = histories.filter(
  ({ module }) => names.length === 0 || names.some((name) => module.includes(name)),
);

/** The changes from one version to the next, and how long their search took. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly changes: readonly ApiChange[];
  readonly crds: number;
  readonly seconds: number;
}

async function stepsOf(history: History): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [at, to] of history.versions.entries()) {
    const from = history.versions[at - 1];
    if (from === undefined) continue;
    const [old, next] = [await crdsOf(history, from), await crdsOf(history, to)];
    const start = performance.now();
    const changes = compareCrds(old, next);
    steps.push({ from, to, changes, crds: next.length, seconds: (performance.now() - start) / 1000 });
  }
  return steps;
}

function describe({ rule, severity, message, witness, ...change }: ApiChange): string {
  const line = `${severity}: ${placeOfChange(change)}: ${message} (${rule})`;
  if (!witness) return line;
  const old = witness.old ? ` after ${JSON.stringify(witness.old)}` : "";
  return `${line}\n    ${witness.outcome}: ${witness.detail}\n    ${JSON.stringify(witness.object)}${old}`;
}

/** Asks a kube-apiserver about all witnesses of a history. */
async function askAbout(control: ControlPlane, history: History, steps: readonly Step[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { from, to, changes } of steps) {
    const [old, next] = [await crdsOf(history, from), await crdsOf(history, to)];
    for (const crd of next) {
      const before = old.find(({ metadata }) => metadata.name === crd.metadata.name);
      const own = changes.filter((change) => change.crd === crd.metadata.name && change.severity === "error");
      if (before) verdicts.push(...(await askServer(control, before, crd, own)));
    }
  }
  return verdicts;
}

function describeVerdicts(verdicts: readonly Verdict[]): string {
  const wrong = verdicts.filter(({ isTrue }) => !isTrue);
  const lines = wrong.map(
    ({ place, before, now }) => `not so: ${place}\n    before: ${before}\n    now: ${now}`,
  );
  return [
    ...lines,
    `kube-apiserver: ${verdicts.length - wrong.length} of ${verdicts.length} witnesses are as said`,
  ].join("\n");
}

const binaries = args.includes("--real") ? findBinaries() : undefined;
const control = binaries && "folder" in binaries ? await startControlPlane(binaries.folder) : undefined;

console.log("| module | versions | kinds | steps | errors | with a witness | warnings | none | seconds |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const history of chosen) {
  try {
    const steps = await stepsOf(history);
    const all = steps.flatMap(({ changes }) => changes);
    const count = (severity: string): number => all.filter((change) => change.severity === severity).length;
    const shown = all.filter(({ severity, witness }) => severity === "error" && witness).length;
    const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
    const { module, versions } = history;
    console.log(
      `| ${module} | ${versions[0]} … ${versions.at(-1)} | ${steps.at(-1)?.crds} | ${steps.length} | ${count("error")} | ${shown} | ${count("warning")} | ${count("none")} | ${seconds.toFixed(1)} |`,
    );
    const text = steps.map(({ from, to, changes }) =>
      [`## ${from} → ${to}`, ...changes.filter(({ severity }) => severity !== "none").map(describe)].join(
        "\n",
      ),
    );
    const file = join(cache, `${module.replaceAll("/", "+")}.findings.md`);
    writeFileSync(file, `${text.join("\n\n")}\n`);
    if (args.includes("--show")) console.log(`${text.join("\n\n")}\n`);
    if (control) console.log(describeVerdicts(await askAbout(control, history, steps)));
  } catch (error) {
    console.log(`| ${history.module} | left out: ${(error as Error).message.split("\n")[0]} |`);
  }
}
await control?.stop();
