import { TsbuilderError } from "../shared/errors.ts";
import { readDuration } from "./read-duration.ts";

/** The flags of a command that explores. */
export const exploreFlags = {
  explore: {
    type: "boolean",
    summary: "look for mistakes that show when processes die and watches break",
    default: false,
  },
  time: {
    type: "string",
    summary: "how long to explore each controller",
    placeholder: "DURATION",
    default: "1m",
    check: (time: string) => readDuration("time", time),
  },
  seed: { type: "number", summary: "the first seed to explore", placeholder: "N" },
} as const;

/**
 * Makes exploring a tenth to a quarter faster: most of what a run allocates is garbage before a young generation of this
 * size (in MB) is full, and need not be moved.
 */
export const exploringHeap = "--max-semi-space-size=64";

/** How the project's exploring tests are run. */
export interface Exploring {
  readonly env: Readonly<Record<string, string>>;
  /** What the names of their files contain. */
  readonly files: readonly string[];
}

/** Reads the flags; without `--explore`, all tests run, and explore for a moment. */
export function readExploring(
  flags: { readonly explore: boolean; readonly time: string; readonly seed?: number | undefined },
  given: ReadonlySet<string>,
): Exploring {
  const { explore, time, seed = newSeed() } = flags;
  if (explore)
    return {
      env: {
        TSBUILDER_EXPLORE_TIME: time,
        TSBUILDER_EXPLORE_SEED: String(seed),
        // The user's own options come last, and so win.
        NODE_OPTIONS: `${exploringHeap} ${process.env["NODE_OPTIONS"] ?? ""}`.trim(),
      },
      files: ["_explore.test.ts"],
    };
  const flag = ["time", "seed"].find((name) => given.has(name));
  if (flag !== undefined)
    throw new TsbuilderError(`--${flag} says how to explore`, {
      code: "INVALID_ARGUMENT",
      hint: "add --explore",
    });
  return { env: {}, files: [] };
}

/** Another one each time. Ten seeds share the users' steps. */
function newSeed(): number {
  return 10 * Math.ceil(Math.random() * 1_000_000);
}
