import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import { readState, runStep } from "./run-step.ts";
import type { Outcome, Story, Target } from "./story.ts";

/**
 * Runs a story on a control plane, and records the state at rest after each step. With the outcomes of a former run it
 * waits longer for the same state, and a step but the last ends a second after its change has led to that: on a busy
 * machine changes come late, and a rest may last until the next timer.
 */
export async function recordStory(
  kubeconfig: Kubeconfig,
  { steps }: Story,
  id: string,
  former: readonly Outcome[] = [],
): Promise<Outcome[]> {
  const target = { kubeconfig, namespace: `${id}-${Date.now().toString(36)}` };
  const namespaces = "/api/v1/namespaces";
  await send(kubeconfig, {
    method: "POST",
    path: namespaces,
    body: { metadata: { name: target.namespace } },
  });
  const outcomes: Outcome[] = [];
  for (const [at, step] of steps.entries()) {
    await runStep(target, step);
    const { name, rest = 3 } = step;
    const expected = former[at] && { state: former[at].state, rest: at < steps.length - 1 ? 1 : rest };
    outcomes.push({ step: name, state: await stateAtRest(target, rest, expected) });
  }
  await send(kubeconfig, { method: "DELETE", path: `${namespaces}/${target.namespace}` });
  return outcomes;
}

/** How long another state than the expected one may last, in seconds. */
const patience = 30;

async function stateAtRest(
  target: Target,
  seconds: number,
  expected?: { readonly state: unknown; readonly rest: number },
): Promise<unknown[]> {
  let state = await readState(target);
  const isThere = (): boolean => isDeepStrictEqual(state, expected?.state);
  let rest = expected && !isThere() ? patience : seconds;
  for (let since = Date.now(); Date.now() - since < rest * 1000;) {
    await delay(250);
    const next = await readState(target);
    if (isDeepStrictEqual(next, state)) continue;
    state = next;
    rest = expected ? (isThere() ? expected.rest : patience) : seconds;
    since = Date.now();
  }
  return state;
}
