import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { chapters } from "./chapters.ts";
import { compareChapter } from "./compare.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

test.each(Object.keys(chapters))("the embedded server answers %s as the real one did", async (chapter) => {
  expect(await compareChapter(cluster.kubeconfig, chapter)).toEqual([]);
});
