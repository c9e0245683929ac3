import type { MistakeClass, Scenario } from "../contract/index.ts";

/** A test that replays a finding. The operators and CRDs of the scenario stand in the test that found it. */
export function testOf(
  { objects = [], steps = [], faults = [], seed = 1 }: Scenario,
  name: MistakeClass,
): string {
  const data = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
  return `import { expect, test } from "vitest";
import { examineScenario } from "@tsbuilder/simulation";
// Export it from a file of yours: \`{ operators, crds }\`, as in the test that found this.
import { scenario } from "./scenario.ts";

test("seed ${seed}: ${name}", async () => {
  const objects = ${data(objects)};
  const steps = ${data(steps)};
  const faults = ${data(faults)};
  const failure = await examineScenario({ ...scenario, objects, steps, faults, seed: ${seed} });
  expect(failure?.story).toBeUndefined();
});
`;
}
