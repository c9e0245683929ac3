import { expect, test } from "vitest";
import { killRounds } from "../../support/cluster/kill-rounds.ts";

test("watchers resume through six kill -9 of their cluster: nothing is lost, none must list again", async () => {
  const { writes, problems } = await killRounds(6);
  expect(problems).toEqual([]);
  expect(writes).toBeGreaterThan(6 * 40);
});
