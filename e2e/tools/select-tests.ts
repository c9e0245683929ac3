import { compareText } from "@tsbuilder/apimachinery/text";
import { dirname } from "node:path";
import { projectOf } from "./plan-tests.ts";

/** The inputs of a selection of tests. All paths are relative to the repository. */
interface Sources {
  /** Each source file, and its imports of our files. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
  /** The last duration of a test file in milliseconds. */
  readonly costs: ReadonlyMap<string, number>;
}

interface Selection {
  readonly run: readonly string[];
  /** Tests near the change that exceed the budget. */
  readonly leftOut: readonly string[];
}

/** Tests that read files which they don't import. */
const readers: readonly (readonly [files: RegExp, test: string])[] = [
  [/^src\/(.*\.ts|README\.md)$/, "e2e/rules/layers.test.ts"],
  [/\.md$|^package\.json$/, "e2e/rules/docs.test.ts"],
  [/^(templates|src\/(plugins|chart|olm))\//, "e2e/rules/templates.test.ts"],
  [/^(templates|e2e\/golden|src\/(cli|plugins|scaffold|project|generators))\//, "e2e/rules/goldens.test.ts"],
];

/** Milliseconds to load a test file, and to run one without a known duration. */
const loading = 300;
const unknown = 200;

/**
 * The tests that a change can break: those that were changed or are listed above as readers, and then, nearest first,
 * as many of the tests that read or import a changed file, directly or not, as fit into a budget of milliseconds.
 */
export function selectTests(changed: readonly string[], sources: Sources, budget: number): Selection {
  const tests = [...sources.imports.keys()].filter(isUnitTest);
  const cost = (test: string) => loading + (sources.costs.get(test) ?? unknown);
  const run = new Set([...listedReaders(changed), ...changed.filter((file) => tests.includes(file))]);
  const rings = [readersOfData(changed, tests), ...importersOf(changed, sources.imports)].flatMap((ring) =>
    ring.filter(isUnitTest).sort((a, b) => cost(a) - cost(b) || compareText(a, b)),
  );
  const leftOut: string[] = [];
  let spent = 0;
  for (const test of new Set(rings)) {
    if (run.has(test)) continue;
    const fits = spent + cost(test) <= budget;
    if (fits) spent += cost(test);
    if (fits) run.add(test);
    else leftOut.push(test);
  }
  return { run: [...run], leftOut };
}

/** Journeys and tests on real control planes have their own commands. */
function isUnitTest(file: string): boolean {
  return file.endsWith(".test.ts") && projectOf(file) === "unit";
}

function listedReaders(changed: readonly string[]): string[] {
  return readers.filter(([files]) => changed.some((file) => files.test(file))).map(([, test]) => test);
}

/** Data is read by the tests in its folder, or in the nearest folder above with tests. */
function readersOfData(changed: readonly string[], tests: readonly string[]): string[] {
  const folders = changed.filter((file) => /^(src|e2e)\/.*(?<!\.ts)$/.test(file)).map(dirname);
  return folders.flatMap((folder) => nearestTests(folder, tests));
}

function nearestTests(folder: string, tests: readonly string[]): readonly string[] {
  const here = tests.filter((test) => dirname(test) === folder);
  return here.length > 0 || !folder.includes("/") ? here : nearestTests(dirname(folder), tests);
}

/** First the files that import one of these, then the files that import those. */
function importersOf(files: readonly string[], imports: Sources["imports"]): [string[], string[]] {
  const importing = (targets: ReadonlySet<string>) =>
    [...imports].filter(([, imported]) => imported.some((file) => targets.has(file))).map(([file]) => file);
  const first = importing(new Set(files));
  return [first, importing(new Set(first))];
}
