/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Decision,
  decide,
  type Recorded,
  type Server,
  type Step,
  type Wish,
} from "./maria_decide.ts";

/** The sessions of one look at the servers, one for each server that answers. None is ever opened again. */
export interface Sessions {
  /** Asks all servers, and the API server for their pods: after the status was read, so that a recorded pod is seen. */
  look(recorded: Recorded | undefined): Promise<readonly Server[]>;
  /** Ends the sessions of all other operators on the servers that answer. */
  fence(): Promise<void>;
  act(step: Exclude<Step, { do: "record" }>): Promise<void>;
}

/** What the API server has of a MySQL. */
export interface Declared {
  readonly wish: Wish;
  readonly recorded: Recorded | undefined;
  /** Writes the status; fails if the object has been changed since it was read. */
  record(recorded: Recorded): Promise<void>;
}

/**
 * Looks at the servers, and does what is to be done next. An operator that was replaced may still run, and wake up anywhere in here. It
 * unlocks nothing: its sessions are older than the status that it read, so whoever wrote a newer status ends them
 * before unlocking anything else.
 */
export async function drive(
  sessions: Sessions,
  read: () => Promise<Declared>,
): Promise<{ decision: Decision; servers: readonly Server[] }> {
  const declared = await read();
  const { wish, recorded } = declared;
  let servers = await sessions.look(recorded);
  let decision = decide(wish, recorded, servers);
  if (decision.steps.some(({ do: what }) => what === "unlock")) {
    await sessions.fence();
    servers = await sessions.look(recorded);
    decision = decide(wish, recorded, servers);
  }
  for (const step of decision.steps) {
    if (step.do === "record") await declared.record(step.recorded);
    else await sessions.act(step);
  }
  return { decision, servers };
}
