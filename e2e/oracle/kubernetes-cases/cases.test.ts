import { expect, test } from "vitest";
import { compareCase } from "./compare.ts";
import { readCustomResources } from "./custom-resources.ts";
import { namespacesOf, readVerdicts, verdictsFile } from "./judge.ts";
import { knownReason } from "./known-differences.ts";
import { Player } from "./play.ts";

/** How many of the cases a run plays; `npm run lab -- cases` plays all. */
const part = 600;

const judged = readVerdicts();
if (judged.length === 0)
  console.log(`left out: there is no "${verdictsFile()}"; npm run lab -- cases makes it`);

test.skipIf(judged.length === 0)("a part of the cases of Kubernetes' own tests has its verdict", async () => {
  // Every nth, so that all kinds are among them, in the same order on all machines.
  const step = Math.max(1, Math.floor(judged.length / part));
  const played = judged.filter((_, index) => index % step === 0);
  const player = await Player.start(
    namespacesOf(played.map(({ request }) => request)),
    readCustomResources(),
  );
  const wrong: string[] = [];
  for (const each of played) {
    const compared = compareCase(each, await player.play(each));
    expect(compared.played.unforeseen).toEqual([]);
    const differs = compared.level === "accepts" || compared.level === "refuses";
    if (differs && knownReason(compared) === undefined)
      wrong.push(`${each.request.at} ${each.request.id} ${compared.difference!.name}`);
  }
  await player.stop();
  expect(wrong).toEqual([]);
});
