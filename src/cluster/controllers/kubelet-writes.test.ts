import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startInProcess } from "@tsbuilder/cluster";
import { expect, onTestFinished, test } from "vitest";
import { pods } from "../control-loop/api/core.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";

test("a kubelet writes no status that is stored already", async () => {
  const clock = new FakeClock();
  const written: (string | undefined)[] = [];
  const cluster = await startInProcess({
    clock,
    controllers: ["scheduler", "node", "kubelet"],
    pace: () => 2000,
    onError: (error) => expect.unreachable(String(error)),
    wrapObjects: (objects) => ({
      ...objects,
      async update(...write) {
        const updated = await objects.update(...write);
        if (updated.kind === "Pod") written.push(updated.metadata.resourceVersion);
        return updated;
      },
    }),
  });
  onTestFinished(() => cluster.stop());
  const objects = clusterObjects(cluster.core);
  await objects.create("tester", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default" },
    spec: { containers: [{ name: "web", image: "web:1" }] },
  });
  await clock.advance(60_000);
  const ready = objects.get(pods, "default", "web")?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.status).toBe("True");
  expect(written).toEqual([...new Set(written)]);
});
