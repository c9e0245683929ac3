import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { runStory } from "./run-story.ts";
import type { Step } from "./story.ts";

const list: Step = { method: "GET", path: "/api/v1/namespaces/{ns}/configmaps" };
/** A path can't contain a line break. */
const unsendable: Step = { method: "GET", path: "/api/v1/\n" };

test.each([
  ["a step", unsendable],
  ["a step that is repeated", { ...unsendable, until: 200 }],
])("%s that can't be sent fails the story at once", async (_, step) => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const story = { name: "broken", steps: [list, step] };
  await expect(runStory(cluster, story, "broken")).rejects.toThrow(
    "Request path contains unescaped characters",
  );
});
