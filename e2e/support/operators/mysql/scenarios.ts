import { access } from "./access.ts";
import { backups } from "./backups.ts";
import { deletions } from "./deletions.ts";
import { everyday } from "./everyday.ts";
import { failures } from "./failures.ts";
import { foundData } from "./found-data.ts";
import { refusals } from "./refusals.ts";
import { secrets } from "./secrets.ts";
import type { ScenarioContext } from "./context.ts";
import { switchovers } from "./switchovers.ts";
import { unforeseen } from "./unforeseen.ts";
import { volumes } from "./volumes.ts";

/** One row of the README's table: its steps, and the exact state that they must lead to. */
export interface Scenario {
  readonly row: string;
  readonly title: string;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

/** The scenarios that share one running operator, each in its own namespace. */
export const scenarios: readonly Scenario[] = [
  ...everyday,
  ...switchovers,
  ...secrets,
  ...access,
  ...refusals,
  ...failures,
  ...volumes,
  ...deletions,
  ...foundData,
  ...backups,
  ...unforeseen,
];
