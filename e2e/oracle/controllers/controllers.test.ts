import { FakeClock } from "@tsbuilder/apimachinery/time";
import { controllerNames, startCluster } from "@tsbuilder/cluster";
import { describe, expect, test } from "vitest";
import { send } from "../../../src/cluster/testing/send.ts";
import { UnforeseenErrors } from "../../support/unforeseen-errors.ts";
import { readRecorded } from "../recorded.ts";
import { chapters } from "./chapters.ts";
import { readState, runStep } from "./run-step.ts";
import type { Outcome } from "./story.ts";

/** The stand-in for kubelets is off: these stories report the status of pods themselves. */
const nodes = new Set(["scheduler", "node", "kubelet", "stage"]);
/** In a month in which no schedule of these stories is due. */
const start = Date.UTC(2026, 5, 15);
const controllers = controllerNames.filter((name) => !nodes.has(name));
/** Recorded with a kube-scheduler. */
const scheduled = new Set(["scheduling"]);
/** The recordings are from a kube-apiserver with this flag, as in envtest. */
const disableAdmissionPlugins = ["ServiceAccount"] as const;

describe.each(Object.entries(chapters))("controllers do as the real ones did: %s", (chapter, stories) => {
  test.for(stories.map((story) => [story.name, story] as const))("%s", async ([name, story]) => {
    const recorded = await readRecorded<Outcome>("controllers", chapter);
    const clock = new FakeClock(start);
    const all = scheduled.has(chapter) ? [...controllers, "scheduler" as const] : controllers;
    const unforeseen = new UnforeseenErrors();
    const onError = unforeseen.add;
    const cluster = await startCluster({ controllers: all, clock, disableAdmissionPlugins, onError });
    try {
      const target = { kubeconfig: cluster.kubeconfig, namespace: `${chapter}-story`, clock };
      const body = { metadata: { name: target.namespace } };
      await send(cluster.kubeconfig, { method: "POST", path: "/api/v1/namespaces", body });
      for (const [at, step] of story.steps.entries()) {
        await runStep(target, step);
        await comeToRest(clock, step.rest);
        expect({ step: step.name, state: await readState(target) }).toEqual(recorded[name]![at]);
      }
      expect(unforeseen.all).toEqual([]);
    } finally {
      await cluster.stop();
    }
  });
});

/** Moves time until nothing has been due for as long as the recording waited for rest. */
async function comeToRest(clock: FakeClock, seconds = 3): Promise<void> {
  const rest = seconds * 1000;
  await clock.advance(0);
  for (let wait = clock.untilNextTimer; wait !== undefined && wait <= rest; wait = clock.untilNextTimer) {
    await clock.advance(wait);
  }
  await clock.advance(rest);
}
