import { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { chapters } from "./chapters.ts";
import { compareChapter } from "./compare.ts";

const clock = new FakeClock(Date.now());
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ clock });
});
afterAll(() => cluster.stop());

test.each(Object.keys(chapters))("the embedded server answers %s as the real one did", async (chapter) => {
  expect(await compareChapter({ kubeconfig: cluster.kubeconfig, clock }, chapter)).toEqual([]);
});
