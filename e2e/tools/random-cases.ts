import * as fc from "fast-check";

/** Which cases of a property are run. */
interface RandomSettings {
  readonly seed: number;
  /** The number of cases of a property that sets none. */
  readonly numRuns: number;
  /** One case of one property, as a failure printed it. */
  readonly path?: string;
}

/** The cases are the same on every machine and in every run, unless `npm run lab -- explore` asks for others. */
export function readRandomSettings(env: NodeJS.ProcessEnv): RandomSettings {
  const path = env["TSBUILDER_PATH"];
  return {
    seed: Number(env["TSBUILDER_SEED"] ?? 1),
    numRuns: Number(env["TSBUILDER_RUNS"] ?? 100),
    ...(path && { path }),
  };
}

/** The test that contains a property: its file in the repository, and its name in Vitest. */
interface RunningTest {
  readonly file: string;
  readonly name: string;
}

/** The message of a failed property: the case, and the commands to run it again and to keep it. */
export function describeFailure<T>(details: fc.RunDetails<T>, { file, name }: RunningTest): string {
  const { counterexamplePath: path, counterexample, seed } = details;
  if (path === null) return fc.defaultReportMessage(details) ?? "";
  const example = fc.stringify(counterexample);
  const again = ["--only", file, "--test", quote(name), "--seed", seed, "--path", quote(path)];
  return [
    `Property failed after ${details.numRuns} cases, shrunk ${details.numShrinks} times, to ${example}`,
    `  run it again: npm run lab -- explore ${again.join(" ")}`,
    `  keep it as an example: fc.assert(…, { examples: [${example}] }), if its values can be written as literals`,
  ].join("\n");
}

/** Quoted for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
