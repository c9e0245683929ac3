import { setTimeout as delay } from "node:timers/promises";
import type { Kubeconfig } from "../../src/cluster/auth/kubeconfig.ts";
import { send } from "../../src/cluster/testing/send.ts";
import { readState, runStep } from "./run-step.ts";
import type { Outcome, Story, Target } from "./story.ts";

/** Runs a story on a control plane, and records the state at rest after each step. */
export async function recordStory(kubeconfig: Kubeconfig, { steps }: Story, id: string): Promise<Outcome[]> {
  const target = { kubeconfig, namespace: `${id}-${Date.now().toString(36)}` };
  const namespaces = "/api/v1/namespaces";
  await send(kubeconfig, {
    method: "POST",
    path: namespaces,
    body: { metadata: { name: target.namespace } },
  });
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    await runStep(target, step);
    outcomes.push({ step: step.name, state: await stateAtRest(target, step.rest ?? 3) });
  }
  await send(kubeconfig, { method: "DELETE", path: `${namespaces}/${target.namespace}` });
  return outcomes;
}

async function stateAtRest(target: Target, seconds: number): Promise<unknown[]> {
  let state = await readState(target);
  for (let since = Date.now(); Date.now() - since < seconds * 1000; ) {
    await delay(250);
    const next = await readState(target);
    if (JSON.stringify(next) === JSON.stringify(state)) continue;
    state = next;
    since = Date.now();
  }
  return state;
}
