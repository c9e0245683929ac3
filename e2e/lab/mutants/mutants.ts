import { parseArgs } from "node:util";
import { readSourceGraph } from "../../tools/source-graph.ts";
import type { Mutant } from "./find-mutants.ts";
import { readKillers, writeKillers } from "./killers.ts";
import { ringsOfTests } from "./rings-of-tests.ts";
import { runTests, type Verdict } from "./run-tests.ts";
import { allMutants, chosenMutants, folder } from "./runtime-mutants.ts";
import { survivors } from "./survivors.ts";

/**
 * Changes the runtime's code in 150 places, one at a time, and runs its tests: a change that none of them notices shows
 * what they leave open. `npm run lab -- mutants [--only ID,FILE] [--count N] [--workers N]`. Which test file noticed a mutant is
 * kept in killers.json: it is run first the next time.
 */
const { values } = parseArgs({
  options: { only: { type: "string" }, count: { type: "string" }, workers: { type: "string" } },
});

/** Most of the chosen mutants that may survive, explained or not. */
const mostSurvivors = 0.03;

const imports = readSourceGraph();
const only = values.only?.split(",");
const mutants = chosenMutants(readCount(values.count, 150)).filter(
  ({ id, file }) => !only || only.some((one) => id === one || file.startsWith(one)),
);
if (mutants.length === 0)
  throw new Error(`none of the chosen mutants is ${values.only}: --only takes ids and folders`);

const started = performance.now();
const broken = await runTests(undefined, [folder], 1_200_000);
if (broken !== undefined) throw new Error(`the tests fail without a mutant: ${broken.by}`);
const limit = Math.round(2 * (performance.now() - started) + 60_000);

const killers = readKillers();
const verdicts = new Map<Mutant, Verdict>();
const queue = mutants.values();
await Promise.all(Array.from({ length: readCount(values.workers, 2) }, work));
writeKillers(killers, verdicts, allMutants());
report();

function readCount(text: string | undefined, missing: number): number {
  const count = Number(text ?? missing);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`"${text}" is not a number of mutants or workers`);
  return count;
}

async function work(): Promise<void> {
  for (const mutant of queue) {
    let verdict: Verdict;
    for (const ring of ringsOfTests(mutant.file, imports, folder, killers[mutant.id]))
      verdict ??= await runTests(mutant, ring, limit);
    verdicts.set(mutant, verdict);
    const end = verdict ? `noticed by ${verdict.by}` : "SURVIVED";
    console.log(`${verdicts.size}/${mutants.length} ${describe(mutant)}: ${end}`);
  }
}

function report(): void {
  const alive = mutants.filter((mutant) => verdicts.get(mutant) === undefined);
  const open = alive.filter(({ id }) => !(id in survivors));
  console.log(`\n${mutants.length} mutants, ${alive.length} survived, ${open.length} without an explanation`);
  for (const mutant of alive)
    console.log(`${describe(mutant)}\n  ${survivors[mutant.id] ?? "not explained"}`);
  process.exitCode = open.length > 0 || alive.length > mostSurvivors * mutants.length ? 1 : 0;
}

function describe({ id, file, line, before, after }: Mutant): string {
  const short = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `${id} ${file}:${line} ${short(before)} → ${short(after)}`;
}
