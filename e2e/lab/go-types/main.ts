import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { findControllerGen } from "../../oracle/real/controller-gen/go-twin.ts";
import { type ComparedOperator, compareOperator } from "./compare-operator.ts";
import { type Operator, operators } from "./operators.ts";
import { reportLines, verdict } from "./report.ts";
import { resultsPage } from "./results-page.ts";

// Compares the CRDs of operators written in Go with those of their types in TypeScript. See README.md.

const usage = "npm run lab -- go-types [MODULE@VERSION PACKAGE…], with the packages' paths in the module";
const [what, ...packages] = process.argv.slice(2);
const controllerGen = findControllerGen();
if (controllerGen === undefined) {
  console.log("left out: controller-gen, which Go installs, is not here");
} else if (what === undefined) {
  const compared = new Map<Operator, ComparedOperator>();
  for (const operator of operators) {
    console.log(`\n${operator.name} ${operator.version}`);
    compared.set(operator, await printed(operator, controllerGen));
  }
  writeFileSync(join(import.meta.dirname, "RESULTS.md"), resultsPage(compared));
} else {
  const [, module, version] = /^(.+)@(v[^@]+)$/u.exec(what) ?? [];
  if (module === undefined || version === undefined || packages.length === 0)
    throw new Error(`usage: ${usage}`);
  await printed({ name: module, module, version, packages }, controllerGen);
}

async function printed(operator: Operator, binary: string): Promise<ComparedOperator> {
  const compared = await compareOperator(operator, binary);
  for (const line of reportLines(compared)) console.log(line);
  if (compared.kinds.some((kind) => verdict(kind) === "different")) process.exitCode = 1;
  return compared;
}
