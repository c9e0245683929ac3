import type { MistakeClass, Scenario } from "../contract/index.ts";

/** The parts of a replaying test that depend on the exploring test: it needs the same operators and CRDs. */
interface Replay {
  /** The imports, and a comment about what to do first. */
  readonly head: string;
  /** The expression that replays the finding, with `objects`, `steps` and `faults` in scope. */
  readonly call: string;
}

/** Writes a test that replays a finding. */
export function testOf(
  { objects = [], steps = [], faults = [] }: Scenario,
  name: MistakeClass,
  seed: number,
  { head, call }: Replay,
): string {
  const formatData = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
  return `${head}

test("seed ${seed}: ${name}", async () => {
  const objects = ${formatData(objects)};
  const steps = ${formatData(steps)};
  const faults = ${formatData(faults)};
  const failure = await ${call};
  expect(failure?.story).toBeUndefined();
});
`;
}

/** Returns the parts of a test that replays a finding of `explore()`. */
export function scenarioReplay(seed: number): Replay {
  return {
    head: `import { expect, test } from "vitest";
import { examineScenario } from "@tsbuilder/simulation";
// Export it from a file of yours: \`{ operators, crds }\`, as in the test that found this.
import { scenario } from "./scenario.ts";`,
    call: `examineScenario({ ...scenario, objects, steps, faults, seed: ${seed} })`,
  };
}
