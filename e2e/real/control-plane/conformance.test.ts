import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/kubeconfig.ts";
import { chapters } from "../../conformance/chapters.ts";
import { compareChapter } from "../../conformance/compare.ts";
import { startControlPlane } from "../control-plane.ts";
import { findBinaries } from "../control-plane-binaries.ts";

const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: the comparison with a real server: ${binaries.missing}`);

test.skipIf("missing" in binaries)("the recorded answers are those of a real server", async () => {
  if ("missing" in binaries) return;
  const controlPlane = await startControlPlane(binaries.folder);
  try {
    const kubeconfig = parse(readFileSync(controlPlane.kubeconfig, "utf8")) as Kubeconfig;
    for (const chapter of Object.keys(chapters)) {
      expect(await compareChapter(kubeconfig, chapter), chapter).toEqual([]);
    }
  } finally {
    await controlPlane.stop();
  }
});
