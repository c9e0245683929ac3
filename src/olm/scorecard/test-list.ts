/** How a test ended: `error` if it could not be carried out. */
type State = "pass" | "fail" | "error";

export interface TestResult {
  readonly name: string;
  readonly state: State;
  readonly errors: readonly string[];
  readonly suggestions: readonly string[];
}

/** A test as the configuration of a scorecard names it. */
export interface ScorecardTest {
  readonly image: string;
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface TestWithResults extends ScorecardTest {
  readonly results: readonly TestResult[];
}

export const scorecardApiVersion = "scorecard.operatorframework.io/v1alpha3";

/** The list in operator-sdk's format. */
export function toTestList(tests: readonly TestWithResults[]): object {
  return {
    kind: "TestList",
    apiVersion: scorecardApiVersion,
    items: tests.map(({ results, ...spec }) => ({
      kind: "Test",
      apiVersion: scorecardApiVersion,
      spec,
      status: { results: results.map(toResult) },
    })),
  };
}

/** Empty lists are left out. */
function toResult({ name, state, errors, suggestions }: TestResult): object {
  return {
    name,
    state,
    ...(errors.length > 0 ? { errors } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
  };
}

/** `fail` if there are errors. */
export function resultOf(
  name: string,
  errors: readonly string[],
  suggestions: readonly string[] = [],
): TestResult {
  return { name, state: errors.length > 0 ? "fail" : "pass", errors, suggestions };
}
