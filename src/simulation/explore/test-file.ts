import type { MistakeClass, Scenario } from "../contract/index.ts";

/** How a test gets what a finding leaves open: the operators and CRDs of the test that found it. */
export interface Replay {
  /** The imports, and what a reader has to do first. */
  readonly head: string;
  /** The expression that replays it, with `objects`, `steps` and `faults` in scope. */
  readonly call: string;
}

/** A test that replays a finding. */
export function testOf(
  { objects = [], steps = [], faults = [] }: Scenario,
  name: MistakeClass,
  seed: number,
  { head, call }: Replay,
): string {
  const data = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
  return `${head}

test("seed ${seed}: ${name}", async () => {
  const objects = ${data(objects)};
  const steps = ${data(steps)};
  const faults = ${data(faults)};
  const failure = await ${call};
  expect(failure?.story).toBeUndefined();
});
`;
}

/** Replays a finding of `explore()`. */
export function scenarioReplay(seed: number): Replay {
  return {
    head: `import { expect, test } from "vitest";
import { examineScenario } from "@tsbuilder/simulation";
// Export it from a file of yours: \`{ operators, crds }\`, as in the test that found this.
import { scenario } from "./scenario.ts";`,
    call: `examineScenario({ ...scenario, objects, steps, faults, seed: ${seed} })`,
  };
}
