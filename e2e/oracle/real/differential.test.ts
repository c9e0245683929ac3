import { describe, expect, onTestFinished, test } from "vitest";
import { randomStories } from "../differential/random-stories.ts";
import { reportText } from "../differential/report-text.ts";
import { runStories } from "../differential/run.ts";
import { startServers } from "../differential/servers.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** Random requests to a real and to the embedded server, the same ones in every run. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: random requests on both servers: ${binaries.missing}`);

/** The percentage of answers that may differ. It must never be raised. */
const mayDiffer = 2;

describe.skipIf("missing" in binaries)("random requests", () => {
  test.each([1, 2, 3])(
    "get the same answers from both servers except for known differences, and never an internal error from the embedded one: seed %i",
    async (seed) => {
      if ("missing" in binaries) return;
      // Clean ones: each seed writes into the same namespaces.
      const servers = await startServers(binaries.folder);
      onTestFinished(() => servers.stop());
      const stories = await randomStories(servers.real.kubeconfig, { seed, requests: 1000 });
      const report = await runStories(servers, stories);
      console.log(reportText({ ...report, classes: [] }));
      expect(servers.unforeseen).toEqual([]);
      expect(report.answers).toBeGreaterThan(500);
      // A read may find here what the real server's cache does not know of yet.
      const written = report.wronglyAcceptedOften.filter(({ step }) => step.method !== "GET");
      expect(written).toEqual([]);
      const isWithin = (100 * report.different) / report.answers <= mayDiffer;
      expect({ isWithin, report: reportText(report) }).toMatchObject({ isWithin: true });
    },
  );
});
