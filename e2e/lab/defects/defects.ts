import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import type { Exam } from "./exam.ts";
import type { Finding } from "./examine.ts";

// npm run lab -- defects [--only PATTERN] [--budget SECONDS|test | --runs N] [--from SEED] [--promises] [--right] [--released] [--story]
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    budget: { type: "string", default: "60" },
    /** Makes so many disturbed runs of each version, however long they take. */
    runs: { type: "string" },
    /** The first seed. */
    from: { type: "string", default: "1" },
    promises: { type: "boolean", default: false },
    /** Looks for false alarms in the right versions instead. */
    right: { type: "boolean", default: false },
    /** The right version is the last release, too: every third plan begins with it. */
    released: { type: "boolean", default: false },
    story: { type: "boolean", default: false },
  },
});

interface Case {
  readonly operator: string;
  readonly version: string;
  readonly classes: readonly string[];
}

const operators = join(import.meta.dirname, "operators");
const cases: Case[] = [];
for (const operator of readdirSync(operators).sort()) {
  const { exam } = (await import(join(operators, operator, "exam.ts"))) as { exam: Exam };
  if (values.right) cases.push({ operator, version: "right", classes: [] });
  else cases.push(...exam.defects.map(({ name, classes }) => ({ operator, version: name, classes })));
}
const chosen = cases.filter(({ operator, version }) =>
  new RegExp(values.only).test(`${operator}/${version}`),
);
if (chosen.length === 0) throw new Error(`no defect matches ${values.only}`);

const budget = values.runs === undefined ? values.budget : `${values.runs}-runs`;
let found = 0;
let misnamed = 0;
let runs = 0;
const waiting = [...chosen];
await Promise.all(Array.from({ length: availableParallelism() }, work));
const all = chosen.length;
console.log(
  values.right
    ? `${found} false alarms in ${runs} runs of ${all} right operators`
    : `found ${found} of ${all} defects, ${misnamed} of them under another class`,
);
process.exitCode = values.right && found > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) report(next, await examine(next));
}

async function examine({ operator, version }: Case): Promise<Finding> {
  const { stdout } = await execa({
    stderr: "inherit",
  })`${process.execPath} --conditions=@tsbuilder/source --import tsx --max-semi-space-size=64 ${join(import.meta.dirname, "examine.ts")} ${operator} ${version} ${budget} ${values.from} ${[...(values.promises ? ["--promises"] : []), ...(values.released ? ["--released"] : [])]}`;
  return JSON.parse(stdout.split("\n").at(-1)!) as Finding;
}

function report({ operator, version, classes }: Case, { runs: made, seconds, failure }: Finding): void {
  runs += made;
  const isNamed = failure !== undefined && classes.includes(failure.class);
  if (failure) found++;
  if (failure && !isNamed) misnamed++;
  const verdict = !failure
    ? values.right
      ? "no alarm"
      : "missed"
    : isNamed || values.right
      ? failure.class
      : `${failure.class}, not ${classes.join(" or ")}`;
  const place = failure ? ` at seed ${failure.seed}: ${failure.message}` : "";
  console.log(`${operator}/${version}: ${verdict}${place} (${made} runs, ${seconds.toFixed(1)} s of a core)`);
  if (failure && values.story) console.log(`${failure.story}\n`);
}
