/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Decision,
  decide,
  type Problem,
  type Recorded,
  type Server,
  type Step,
  type Wish,
} from "./maria_decide.ts";

/** The sessions of one look at the servers, one for each server that answers. None is ever opened again. */
export interface Sessions {
  /** Asks all servers. Live, it lists their pods after the status was read, so that a recorded pod is among them. */
  look(isLive: boolean): Promise<readonly Server[]>;
  /** Ends the sessions of all other operators on the servers that answer; those where it fails don't answer any more. */
  fence(): Promise<void>;
  act(step: SqlStep): Promise<void>;
}

export type SqlStep = Exclude<Step, { do: "record" }>;

/** The wish and the record of a MySQL, as the API server has them. */
export interface Declared {
  readonly wish: Wish;
  readonly recorded: Recorded | undefined;
  /** Writes the status; fails if the object has been changed since it was read. */
  record(recorded: Recorded): Promise<void>;
}

interface Seen {
  readonly servers: readonly Server[];
  readonly decision: Decision;
}

/**
 * Looks at the servers, and does what is to be done next. The cache is enough to see that nothing is. An operator that was replaced may
 * still run, and wake up anywhere in here. It unlocks nothing: whoever recorded another pod had ended its sessions before, or has
 * written the status since it was read. So sessions are opened before the status is read, those of others are ended after it,
 * and a new epoch is written before anything is unlocked.
 */
export async function drive(
  sessions: Sessions,
  read: (isLive: boolean) => Promise<Declared>,
): Promise<Seen> {
  const glance = await look(sessions, await read(false), false);
  if (glance.decision.steps.length === 0) return glance;
  const declared = await read(true);
  let seen = await look(sessions, declared, true);
  const { epoch } = declared.recorded ?? {};
  if (seen.decision.steps.some((step) => step.do === "record" && step.recorded.epoch !== epoch)) {
    await sessions.fence();
    seen = await look(sessions, declared, true);
  }
  const { steps, problems } = seen.decision;
  const failed: Problem[] = [];
  for (const step of steps) {
    if (step.do === "record") await declared.record(step.recorded);
    else await sessions.act(step).catch((error: Error) => failed.push(failureOf(step, error)));
  }
  return { ...seen, decision: { steps, problems: [...problems, ...failed] } };
}

/** A step that fails keeps no other from being done, and nobody from being served. */
function failureOf(step: SqlStep, { message }: Error): Problem {
  return { reason: "StepFailed", message: `server ${step.ordinal}: ${step.do}: ${message}` };
}

async function look(sessions: Sessions, declared: Declared, isLive: boolean): Promise<Seen> {
  const servers = await sessions.look(isLive);
  return { servers, decision: decide(declared.wish, declared.recorded, servers) };
}
