import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shopScenario } from "../../e2e/support/simulation/simulated-shop.ts";
import { exploreShare } from "./explore/explore.ts";
import { type Report, shareIn } from "./share.ts";

function sharesOf(count: number) {
  const folder = mkdtempSync(join(tmpdir(), "shares-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const share = (index: number, kind = "shops.example.com") =>
    shareIn({ TSBUILDER_EXPLORE_SHARE: JSON.stringify({ index, count, folder }) }, kind)!;
  return { folder, share };
}

const report = (runs: number, parts: Partial<Report> = {}): Report => ({
  runs,
  crashPoints: { all: [], missed: [] },
  calls: { all: [], missed: [] },
  unchanged: [],
  ...parts,
});

test("processes that share an exploration make together the runs that one makes alone", async () => {
  const { share } = sharesOf(2);
  const seeds = { from: 8, seeds: 8 };
  const alone = await exploreShare(shopScenario(), seeds);
  const [lead, helper] = [share(0), share(1)];
  const helped = await exploreShare(shopScenario(), seeds, helper);
  expect(helped.runs).toBe(4);
  await helper.join({ ...helped, failure: undefined });
  const led = await exploreShare(shopScenario(), seeds, lead);
  expect(await lead.join({ ...led, failure: undefined })).toEqual({ ...alone, failure: undefined });
});

test("the failure of the lowest seed is told, whoever found it, and later seeds are not tried", async () => {
  const { share } = sharesOf(3);
  const [lead, helper, another] = [share(0), share(1), share(2)];
  helper.noteFailure(13);
  expect(lead.isOver(13)).toBe(false);
  expect(lead.isOver(14)).toBe(true);
  expect(share(0, "others.example.com").isOver(14)).toBe(false);
  await helper.join(report(5, { failure: { seed: 13, text: "the first" } }));
  await another.join(report(2, { failure: { seed: 20, text: "a later one" } }));
  const told = await lead.join(report(3, { failure: { seed: 17, text: "another" } }));
  expect(told).toMatchObject({ runs: 10, failure: { seed: 13, text: "the first" } });
});

test("what is left out is what no process reached", async () => {
  const { share } = sharesOf(3);
  await share(1).join(
    report(4, {
      crashPoints: { all: ["b", "c"], missed: ["c"] },
      calls: { all: ["GET dns", "PUT dns"], missed: ["PUT dns"] },
      unchanged: ["spec.tls.mode", "spec.size"],
    }),
  );
  await share(2).join(report(0));
  const own = {
    crashPoints: { all: ["a", "b"], missed: ["a", "b"] },
    calls: { all: ["GET dns"], missed: ["GET dns"] },
    unchanged: ["spec.tls", "spec.port"],
  };
  expect(await share(0).join(report(4, own))).toMatchObject({
    crashPoints: { all: ["a", "b", "c"], missed: ["a", "c"] },
    calls: { all: ["GET dns", "PUT dns"], missed: ["PUT dns"] },
    unchanged: ["spec.tls.mode"],
  });
});

test("nobody waits for a process that ended without a report, and a process for which nobody waits ends", async () => {
  const { folder, share } = sharesOf(2);
  writeFileSync(join(folder, "end 1"), "");
  expect(await share(0).join(report(3))).toMatchObject({ runs: 3 });
  rmSync(folder, { recursive: true });
  expect(share(1).isOver(0)).toBe(true);
});
