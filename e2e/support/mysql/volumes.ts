import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

/** Volumes that grow, and those that can't. */
export const volumes: readonly Scenario[] = [
  {
    row: "T22",
    title: "volumes grow under servers that go on",
    async play(stage) {
      await stage.createReady("db", { size: 2, storage: { className: "test-growing" } });
      await bound(stage, 2);
      const before = await stage.statefulSet("db");
      const pods = (await stage.pods("db")).map(({ metadata }) => metadata.uid);
      const { lastTransitionTime } = (await stage.condition("db", "Available"))!;
      const watching = counts(stage);

      await stage.change("db", { storage: { size: "2Gi" } });
      await stage.eventually(async () => {
        const after = await stage.statefulSet("db");
        expect(after.metadata.uid).not.toBe(before.metadata.uid);
        expect(templateSize(after)).toBe("2Gi");
      });
      await stage.settled("db");
      expect(await requests(stage)).toEqual(["2Gi", "2Gi"]);
      expect((await stage.pods("db")).map(({ metadata }) => metadata.uid)).toEqual(pods);
      expect(await stage.condition("db", "Available")).toMatchObject({ status: "True", lastTransitionTime });
      expect((await stage.status("db")).storageSize).toBe("2Gi");
      // Servers that run all the while are not reported as gone.
      expect(await watching()).toEqual([2]);
      await stage.eventually(async () => expect(await stage.events("db", "Resized")).toHaveLength(1));
    },
  },
  {
    row: "T22b",
    title: "a class that can't grow is told, and nothing is deleted for it",
    async play(stage) {
      await stage.createReady("db", { storage: { className: "test-fixed" } });
      await bound(stage, 1);
      const before = await stage.statefulSet("db");
      await stage.change("db", { storage: { size: "2Gi" } });
      const { message } = await stage.until("db", "Degraded", "StorageResizeFailed");
      expect(message).toContain("data-db-0");
      await stage.wait(2000);
      expect((await stage.statefulSet("db")).metadata.uid).toBe(before.metadata.uid);
      expect(await requests(stage)).toEqual(["1Gi"]);
      expect(await stage.condition("db", "Available")).toMatchObject({ status: "True" });
    },
  },
  {
    row: "T22c",
    title: "volumes of before that are too small for their new MySQL grow too",
    async play(stage) {
      const storage = { className: "test-growing" };
      await stage.createReady("db", { storage });
      await bound(stage, 1);
      await stage.client.delete(Maria, stage.key("db"));
      await stage.eventually(async () => expect(await stage.pods("db")).toEqual([]));
      await stage.createReady("db", { storage: { ...storage, size: "3Gi" } });
      await stage.eventually(async () => expect(await requests(stage)).toEqual(["3Gi"]));
    },
  },
];

/** Waits until claims have the volumes that they ask for: only then may they grow. */
async function bound(stage: Stage, count: number): Promise<void> {
  await stage.eventually(async () => {
    const claims = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
    expect(claims.map(({ status }) => status?.phase)).toEqual(Array.from({ length: count }, () => "Bound"));
    for (const { status } of claims) expect(status?.capacity).toBeDefined();
  });
}

async function requests(stage: Stage): Promise<unknown[]> {
  const claims = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
  return claims.map(({ spec }) => spec?.resources?.requests?.["storage"]);
}

function templateSize({ spec }: StatefulSet): unknown {
  return spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"];
}

/** Looks at `readyReplicas` all the time; the function that it gives ends that, and gives all that it was. */
function counts(stage: Stage): () => Promise<unknown[]> {
  const seen = new Set<unknown>();
  const ended = new AbortController();
  const done = (async () => {
    while (!ended.signal.aborted) {
      seen.add((await stage.status("db")).readyReplicas);
      await stage.wait(10);
    }
  })();
  return async () => {
    ended.abort();
    await done;
    return [...seen];
  };
}
