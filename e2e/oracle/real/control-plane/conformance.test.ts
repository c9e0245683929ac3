import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../../src/cluster/auth/credentials.ts";
import { chapters } from "../../conformance/chapters.ts";
import { compareChapter } from "../../conformance/compare.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { findBinaries } from "../control-plane-binaries.ts";

const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: the comparison with a real server: ${binaries.missing}`);

describe.skipIf("missing" in binaries)("the recorded answers are those of a real server", () => {
  let controlPlane: ControlPlane;
  let kubeconfig: Kubeconfig;

  beforeAll(async () => {
    if ("missing" in binaries) return;
    controlPlane = await startControlPlane(binaries.folder, { featureGates: ["ShardedListAndWatch"] });
    kubeconfig = parse(readFileSync(controlPlane.kubeconfig, "utf8")) as Kubeconfig;
  });

  afterAll(() => controlPlane?.stop());

  test.each(Object.keys(chapters))("%s", async (chapter) => {
    expect(await compareChapter({ kubeconfig }, chapter)).toEqual([]);
  });
});
