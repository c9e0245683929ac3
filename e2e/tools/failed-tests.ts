/** The fields of the report of vitest's reporter `json` that are read here. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

export interface FailedTest {
  readonly id: string;
  readonly output: string;
}

/** Returns the failed tests of a run, and the files that could not be loaded. */
export function failedTests({ testResults }: TestReport, root: string): FailedTest[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = name.replace(`${root}/`, "");
    if (assertionResults.length === 0 && message !== "") return [{ id: file, output: message }];
    return assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => ({
        id: `${file} > ${fullName}`,
        output: failureMessages.join("\n"),
      }));
  });
}

/** Lists the failed tests, the most frequent first: in how many runs each failed, and its first output. */
export function explainFlakes(runs: readonly (readonly FailedTest[])[]): string {
  const outputs = new Map<string, string[]>();
  for (const { id, output } of runs.flat()) outputs.set(id, [...(outputs.get(id) ?? []), output]);
  return [...outputs]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([id, all]) => `failed in ${all.length} of ${runs.length} runs: ${id}\n${all[0]}\n`)
    .join("\n");
}
