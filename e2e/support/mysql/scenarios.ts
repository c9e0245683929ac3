import { backups } from "./backups.ts";
import { deletions } from "./deletions.ts";
import { everyday } from "./everyday.ts";
import { failures } from "./failures.ts";
import { refusals } from "./refusals.ts";
import { secrets } from "./secrets.ts";
import type { ScenarioContext } from "./context.ts";
import { unforeseen } from "./unforeseen.ts";
import { volumes } from "./volumes.ts";

/** One row of the acceptance table: what is done, and exactly what must come of it. */
export interface Scenario {
  readonly row: string;
  readonly title: string;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** The scenarios that one running operator goes through, each in a namespace of its own. */
export const scenarios: readonly Scenario[] = [
  ...everyday,
  ...secrets,
  ...refusals,
  ...failures,
  ...volumes,
  ...deletions,
  ...backups,
  ...unforeseen,
];
