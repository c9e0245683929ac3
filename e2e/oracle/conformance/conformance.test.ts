import { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { chapters } from "./chapters.ts";
import { UnforeseenErrors } from "../../support/unforeseen-errors.ts";
import { compareChapter } from "./compare.ts";

const clock = new FakeClock(Date.now());
const unforeseen = new UnforeseenErrors();
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ clock, onError: unforeseen.add });
});
afterAll(() => cluster.stop());

test.each(Object.keys(chapters))("the embedded server answers %s as the real one did", async (chapter) => {
  const before = unforeseen.all.length;
  expect(await compareChapter({ kubeconfig: cluster.kubeconfig, clock }, chapter)).toEqual([]);
  expect(unforeseen.all.slice(before)).toEqual([]);
});
