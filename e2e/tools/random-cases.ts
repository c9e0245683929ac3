import * as fc from "fast-check";

/** What decides about the cases of a property. */
interface RandomSettings {
  readonly seed: number;
  /** How many cases of a property that doesn't say it itself. */
  readonly numRuns: number;
  /** One case of one property, as a failure named it. */
  readonly path?: string;
}

/** The same cases on every machine and in every run, unless `npm run explore` asks for others. */
export function readRandomSettings(env: NodeJS.ProcessEnv): RandomSettings {
  const path = env["TSBUILDER_PATH"];
  return {
    seed: Number(env["TSBUILDER_SEED"] ?? 1),
    numRuns: Number(env["TSBUILDER_RUNS"] ?? 100),
    ...(path && { path }),
  };
}

/** The test that a property stands in: its file below the repository, and its name as Vitest gives it. */
interface RunningTest {
  readonly file: string;
  readonly name: string;
}

/** What a failed property shows: the case, and what to type to run it again and to keep it. */
export function describeFailure<T>(details: fc.RunDetails<T>, { file, name }: RunningTest): string {
  const { counterexamplePath: path, counterexample, seed } = details;
  if (path === null) return fc.defaultReportMessage(details) ?? "";
  const example = fc.stringify(counterexample);
  const again = ["--only", file, "--test", quote(name), "--seed", seed, "--path", quote(path)];
  return [
    `Property failed after ${details.numRuns} cases, shrunk ${details.numShrinks} times, to ${example}`,
    `  run it again: npm run explore -- ${again.join(" ")}`,
    `  keep it as an example: fc.assert(…, { examples: [${example}] }), if it is made of values that can be written down`,
  ].join("\n");
}

/** As one word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
