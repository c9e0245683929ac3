import { parseArgs } from "node:util";

export interface SuiteOptions {
  /** True to only build e2e.test. */
  readonly build: boolean;
  /** Runs all specs whose name contains this text, those that are left out included. */
  readonly focus: string | undefined;
  /** How many shares of the specs run side by side. */
  readonly shares: number;
  /** How many real nodes the cluster has; 0 without containers. */
  readonly nodes: number;
  /** True to run only what has not passed on nodes so far. */
  readonly rest: boolean;
}

export const suiteHelp = `npm run lab -- conformance [--build] [--focus TEXT] [--shares 10]
       npm run lab -- conformance --nodes 2 [--focus TEXT | --rest] [--shares 4]

Runs Kubernetes' own conformance suite on embedded clusters; builds e2e.test when the cache has none, which needs Go.
  --build        only builds e2e.test, and with --nodes the programs of its images
  --focus TEXT   the specs whose name contains this text, those that are left out included, with their output
  --shares N     how many shares run side by side, each on a cluster of its own
  --nodes N      all specs on one cluster with N real nodes, as root on Linux, with images made here
  --rest         of these only the specs that the page of verdicts has not as passed
A run without --focus writes e2e/oracle/kubernetes-suite/VERDICTS.md; runs on nodes add their verdicts to VERDICTS-NODES.md.`;

export function parseSuiteOptions(argv: readonly string[]): SuiteOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      build: { type: "boolean", default: false },
      focus: { type: "string" },
      shares: { type: "string" },
      nodes: { type: "string" },
      rest: { type: "boolean", default: false },
    },
  });
  const { build, focus, rest } = values;
  const nodes = values.nodes === undefined ? 0 : countOf("--nodes", values.nodes);
  const shares = countOf("--shares", values.shares ?? (nodes > 0 ? "4" : "10"));
  return { build, focus, shares, nodes, rest };
}

function countOf(flag: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${flag} takes a whole number above zero, not ${JSON.stringify(text)}`);
  return count;
}
