import type { MistakeClass, Scenario } from "../contract/index.ts";

/** A test that replays a finding. The operators and CRDs of the scenario stand in the test that found it. */
export function testOf({ steps = [], faults = [], seed = 1 }: Scenario, name: MistakeClass): string {
  const data = (value: unknown): string => JSON.stringify(value, undefined, 2).replaceAll("\n", "\n  ");
  return `import { expect, test } from "vitest";
import { examineScenario } from "@tsbuilder/simulation";
import { scenario } from "./scenario.ts";

test("seed ${seed}: ${name}", async () => {
  const steps = ${data(steps)};
  const faults = ${data(faults)};
  const failure = await examineScenario({ ...scenario, steps, faults, seed: ${seed} });
  expect(failure?.story).toBeUndefined();
});
`;
}
