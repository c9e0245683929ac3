import { afterAll, describe, expect, test } from "vitest";
import { compareCrds } from "../../../src/lifecycle/compare-crds.ts";
import { classCases, crdWith } from "../../../src/lifecycle/testdata/class-cases.ts";
import { askServer } from "../../lab/histories/ask-real-server.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { startControlPlane } from "./control-plane.ts";

/** Witnesses of api check, told by a real API server: it accepts them with the CRD of before, and refuses them with that of now. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: witnesses on a real API server: ${binaries.missing}`);
const control = "missing" in binaries ? undefined : await startControlPlane(binaries.folder);
afterAll(() => control?.stop());

// A null that isn't allowed is dropped without a word.
const cases = classCases.filter(
  ({ outcome, rule }) => outcome === "refused" || (outcome === "lost" && rule !== "nullable-removed"),
);

describe.runIf(control)(
  "a real API server accepts with the old CRD, and refuses with the new one, what shows",
  () => {
    // Each has a group of its own, so that all can be served at once.
    test.concurrent.each(
      cases.map((one, at) => [`${one.rule} ${one.what}`.trim(), one, `case-${at}.example.com`] as const),
    )("%s", async (_, { old, next, rule }, group) => {
      const [before, after] = [crdWith(old, {}, { group }), crdWith(next, {}, { group })];
      const changes = compareCrds([before], [after]).filter((change) => change.rule === rule);
      const verdicts = await askServer(control!, before, after, changes);
      expect(verdicts).toMatchObject([{ before: "", isTrue: true }]);
    });
  },
);
