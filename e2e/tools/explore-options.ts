import { parseArgs } from "node:util";
import { parseDuration } from "@tsbuilder/apimachinery/time";

export interface ExploreOptions {
  /** Milliseconds; a round that has begun is finished. */
  readonly time: number;
  /** The most rounds that are started. */
  readonly rounds: number;
  /** The seed of the first round; each further round adds one. */
  readonly seed: number;
  readonly runs: number;
  readonly only: readonly string[];
  readonly test: string | undefined;
  readonly path: string | undefined;
}

export const exploreHelp = `npm run lab -- explore [--time 5m | --rounds N] [--seed N] [--runs 1000] [--only FILE-OR-FOLDER]... [--test NAME [--path PATH]]

Runs the property tests, and the explorations of our own parts, with fresh seeds until the time is up or a case fails.
  --time DURATION   how long to start new rounds; each round has a seed of its own
  --rounds N        how many rounds to run, however long they take
  --seed N          the seed of the first round; default: random
  --runs N          how many cases of each property that sets no number itself
  --only PATH       a file or folder of tests; may be given several times
  --test NAME       a single test, by name
  --path PATH       a single case of that test, as printed by a failure; runs one round`;

export function parseExploreOptions(argv: readonly string[], freshSeed: number): ExploreOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      time: { type: "string" },
      rounds: { type: "string" },
      seed: { type: "string" },
      runs: { type: "string", default: "1000" },
      only: { type: "string", multiple: true, default: [] },
      test: { type: "string" },
      path: { type: "string" },
    },
  });
  const { test, path, time = "5m" } = values;
  if (values.time !== undefined && values.rounds !== undefined)
    throw new Error("--time and --rounds are mutually exclusive");
  if (path !== undefined && (test === undefined || values.seed === undefined))
    throw new Error("--path names a case of one test with one seed: it requires --test and --seed");
  return {
    time: values.rounds === undefined ? parseDuration(time) : Number.POSITIVE_INFINITY,
    rounds: path === undefined ? readRounds(values.rounds) : 1,
    seed: values.seed === undefined ? freshSeed : readInteger("--seed", values.seed),
    runs: readInteger("--runs", values.runs),
    only: values.only.map((folder) => folder.replace(/^\.\//, "").replace(/\/$/, "")),
    test,
    path,
  };
}

function readRounds(text: string | undefined): number {
  return text === undefined ? Number.POSITIVE_INFINITY : readInteger("--rounds", text);
}

function readInteger(flag: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`${flag} takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
