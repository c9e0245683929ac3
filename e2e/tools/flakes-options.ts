import { parseArgs } from "node:util";

export interface FlakesOptions {
  readonly runs: number;
  /** How many programs keep a core busy beside the tests. */
  readonly busy: number;
  /** True to run each file in a process of its own. */
  readonly alone: boolean;
  readonly projects: readonly string[];
  /** All tests of the projects, if there is none. */
  readonly files: readonly string[];
}

export const flakesHelp = `npm run lab -- flakes [--runs 5] [--busy 3] [--alone] [--project unit]... [FILE-OR-FOLDER]...

Runs tests repeatedly on a machine that is kept busy, and names those that failed in any run.
  --runs N          how many times to run the tests
  --busy N          how many programs run beside the tests, each of which keeps one core busy
  --alone           run each file in a process of its own, whose code is not warmed up
  --project NAME    unit, journeys, long-journeys or real; may be given several times`;

export function parseFlakesOptions(argv: readonly string[]): FlakesOptions {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      runs: { type: "string", default: "5" },
      busy: { type: "string", default: "3" },
      alone: { type: "boolean", default: false },
      project: { type: "string", multiple: true, default: ["unit"] },
    },
  });
  return {
    runs: readCount("--runs", values.runs),
    busy: readCount("--busy", values.busy),
    alone: values.alone,
    projects: values.project,
    files: positionals,
  };
}

function readCount(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${flag} takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
