import { script, type Step, vitest } from "./run-steps.ts";

/** A test suite of `.config/vitest.config.ts`. */
interface Suite {
  readonly project: string;
  readonly folder: string;
  /** The scripts that make what its tests read. */
  readonly needs?: readonly string[];
}

const unit = { project: "unit" };

/** All other tests are unit tests. A folder within another one stands before it. */
const suites: readonly Suite[] = [
  { project: "unit", folder: "e2e/journeys/node/results-page.test.ts" },
  { project: "journeys", folder: "e2e/journeys/fast", needs: ["build"] },
  { project: "long-journeys", folder: "e2e/journeys/long", needs: ["build"] },
  { project: "long-journeys", folder: "e2e/lab/snippets" },
  { project: "strangers", folder: "e2e/journeys/strangers", needs: ["build", "book"] },
  { project: "node", folder: "e2e/journeys/node", needs: ["build"] },
  { project: "node", folder: "e2e/oracle/real/node" },
  { project: "real", folder: "e2e/oracle/real" },
  { project: "built-book", folder: "e2e/book/built", needs: ["book"] },
  { project: "node-versions", folder: "e2e/lab/node-versions" },
  { project: "kubernetes-suite", folder: "e2e/oracle/kubernetes-suite/quick" },
];

/** Plans `npm test`: the paths among its arguments choose the suites, and what has to be built for them. */
export function planTests(args: readonly string[]): Step[] {
  const paths = args.filter((arg) => /^(?:\.\/)?(?:src|e2e)(?:\/|$)/u.test(arg));
  if (paths.length === 0) return [script("build"), vitest(["unit", "journeys"], ...args)];
  const chosen = paths.flatMap(suitesOf);
  const needs = new Set(chosen.flatMap((suite) => suite.needs ?? []));
  const projects = new Set(chosen.map(({ project }) => project));
  return [...[...needs].map(script), vitest([...projects], ...args)];
}

/** The project of the test runner that a test file belongs to. */
export const projectOf = (file: string): string => (suiteAround(file) ?? unit).project;

/** The suites of a file or a folder; a folder may contain several. */
function suitesOf(path: string): Pick<Suite, "project" | "needs">[] {
  const normal = path.replace(/^\.\//u, "").replace(/\/$/u, "");
  const around = suiteAround(normal);
  if (around) return [around];
  return [unit, ...suites.filter(({ folder }) => folder.startsWith(`${normal}/`))];
}

function suiteAround(path: string): Suite | undefined {
  return suites.find(({ folder }) => `${path}/`.startsWith(`${folder}/`));
}
