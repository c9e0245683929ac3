import { script, type Step, vitest } from "./run-steps.ts";

/** A test suite of `.config/vitest.config.ts`. */
interface Suite {
  readonly project: string;
  readonly folder: string;
  /** The scripts that make what its tests read. */
  readonly needs?: readonly string[];
}

/** All other tests are unit tests. */
const suites: readonly Suite[] = [
  { project: "journeys", folder: "e2e/journeys", needs: ["build"] },
  { project: "long-journeys", folder: "e2e/long-journeys", needs: ["build"] },
  { project: "strangers", folder: "e2e/strangers", needs: ["build", "book"] },
  { project: "node", folder: "e2e/node-journeys", needs: ["build"] },
  { project: "node", folder: "e2e/real/node" },
  { project: "real", folder: "e2e/real" },
  { project: "built-book", folder: "e2e/built-book", needs: ["book"] },
  { project: "node-versions", folder: "e2e/node-versions" },
  { project: "kubernetes-suite", folder: "e2e/kubernetes-suite/quick" },
];

/** Plans `npm test`: the paths among its arguments choose the suites, and what has to be built for them. */
export function planTests(args: readonly string[]): Step[] {
  const paths = args.filter((arg) => /^(?:\.\/)?(?:src|e2e)(?:\/|$)/u.test(arg));
  if (paths.length === 0) return [script("build"), vitest(["unit", "journeys"], ...args)];
  const chosen = paths.map(suiteOf);
  const needs = new Set(chosen.flatMap((suite) => suite.needs ?? []));
  const projects = new Set(chosen.map(({ project }) => project));
  return [...[...needs].map(script), vitest([...projects], ...args)];
}

function suiteOf(path: string): Pick<Suite, "project" | "needs"> {
  const normal = path.replace(/^\.\//u, "");
  return suites.find(({ folder }) => `${normal}/`.startsWith(`${folder}/`)) ?? { project: "unit" };
}
