import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { chapters } from "../controllers/chapters.ts";
import { recordStory } from "../controllers/record-story.ts";
import type { Outcome } from "../controllers/story.ts";
import { readRecorded } from "../recorded.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** A real kube-controller-manager still produces the recorded outcomes. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: the real controllers: ${binaries.missing}`);
/** Minutes of these are spent on waits for periodic resyncs of the real controllers. */
const slow = ["claims", "dependents"];
const leftOut = process.env["CONTROLLER_STORIES"] === "all" ? [] : slow;
if (leftOut.length > 0)
  console.log(`left out: the stories ${leftOut.join(", ")}: set CONTROLLER_STORIES=all`);
const unscheduled = "scheduling";
console.log(
  `left out: the stories ${unscheduled}: no kube-scheduler is built, npm run lab -- record needs one`,
);
const told = Object.entries(chapters).filter(
  ([chapter]) => chapter !== unscheduled && !leftOut.includes(chapter),
);

describe.skipIf("missing" in binaries)("a real kube-controller-manager", () => {
  let control: ControlPlane;
  beforeAll(async () => {
    if ("missing" in binaries) return;
    control = await startControlPlane(binaries.folder, { controllerManager: true });
  });
  afterAll(() => control?.stop());

  test.each(told)("matches the record: %s", async (chapter, stories) => {
    const kubeconfig = parse(readFileSync(control.kubeconfig, "utf8")) as Kubeconfig;
    const recorded = await readRecorded<Outcome>("controllers", chapter);
    const outcomes = await Promise.all(
      stories.map((story, index) =>
        recordStory(kubeconfig, story, `${chapter}-${index}`, recorded[story.name]),
      ),
    );
    for (const [index, { name }] of stories.entries()) expect(outcomes[index]).toEqual(recorded[name]);
  });
});
