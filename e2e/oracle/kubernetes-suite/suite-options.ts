import { parseArgs } from "node:util";

export interface SuiteOptions {
  /** True to only build e2e.test. */
  readonly build: boolean;
  /** Runs all specs whose name contains this text, those that are left out included. */
  readonly focus: string | undefined;
  /** How many shares of the specs run side by side. */
  readonly shares: number;
}

export const suiteHelp = `npm run lab -- conformance [--build] [--focus TEXT] [--shares 10]

Runs Kubernetes' own conformance suite on embedded clusters; builds e2e.test when the cache has none, which needs Go.
  --build        only builds e2e.test
  --focus TEXT   the specs whose name contains this text, those that are left out included, with their output
  --shares N     how many shares run side by side, each on a cluster of its own
A run without --focus writes e2e/oracle/kubernetes-suite/VERDICTS.md.`;

export function parseSuiteOptions(argv: readonly string[]): SuiteOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      build: { type: "boolean", default: false },
      focus: { type: "string" },
      shares: { type: "string", default: "10" },
    },
  });
  const shares = Number(values.shares);
  if (!Number.isInteger(shares) || shares < 1)
    throw new Error(`--shares takes a whole number above zero, not ${JSON.stringify(values.shares)}`);
  return { build: values.build, focus: values.focus, shares };
}
