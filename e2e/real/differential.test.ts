import { afterAll, describe, expect, test } from "vitest";
import { randomStories } from "../differential/random-stories.ts";
import { reportText } from "../differential/report-text.ts";
import { runStories } from "../differential/run.ts";
import { startServers } from "../differential/servers.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** Random requests to a real and to the embedded server, always the same ones. */
const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: random requests on both servers: ${binaries.missing}`);
const servers = "missing" in binaries ? undefined : await startServers(binaries.folder);
afterAll(() => servers?.stop());

/** How many of the answers may differ, in percent. It only ever goes down. */
const mayDiffer = 9;

describe.runIf(servers)("random requests", () => {
  test("get the same answers from both servers but for those known to differ, and never surprise the embedded one", async () => {
    const stories = await randomStories(servers!.real.kubeconfig, { seed: 1, requests: 1000 });
    const report = await runStories(servers!, stories);
    console.log(reportText({ ...report, classes: [] }));
    expect(servers!.unforeseen).toEqual([]);
    expect(report.answers).toBeGreaterThan(500);
    const isWithin = (100 * report.different) / report.answers <= mayDiffer;
    expect({ isWithin, report: reportText(report) }).toMatchObject({ isWithin: true });
  });
});
