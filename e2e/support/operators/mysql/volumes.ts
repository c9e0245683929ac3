import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Volumes that grow, and volumes that can't. */
export const volumes: readonly Scenario[] = [
  {
    row: "T22",
    title: "volumes grow under running servers",
    async run(context) {
      await context.createReady("db", { size: 2, storage: { className: "test-growing" } });
      await bound(context, 2);
      const before = await context.statefulSet("db");
      const pods = (await context.pods("db")).map(({ metadata }) => metadata.uid);
      const { lastTransitionTime } = (await context.condition("db", "Available"))!;
      const watching = counts(context);

      await context.change("db", { storage: { size: "2Gi" } });
      await context.eventually(async () => {
        const after = await context.statefulSet("db");
        expect(after.metadata.uid).not.toBe(before.metadata.uid);
        expect(templateSize(after)).toBe("2Gi");
      });
      await context.settled("db");
      expect(await requests(context)).toEqual(["2Gi", "2Gi"]);
      expect((await context.pods("db")).map(({ metadata }) => metadata.uid)).toEqual(pods);
      expect(await context.condition("db", "Available")).toMatchObject({
        status: "True",
        lastTransitionTime,
      });
      expect((await context.status("db")).storageSize).toBe("2Gi");
      // Servers that keep running are not reported as unavailable.
      expect(await watching()).toEqual([2]);
      await context.eventually(async () => expect(await context.events("db", "Resized")).toHaveLength(1));
    },
  },
  {
    row: "T22b",
    title: "a StorageClass that can't expand volumes is reported, and nothing is deleted because of it",
    async run(context) {
      await context.createReady("db", { storage: { className: "test-fixed" } });
      await bound(context, 1);
      const before = await context.statefulSet("db");
      await context.change("db", { storage: { size: "2Gi" } });
      const { message } = await context.until("db", "Degraded", "StorageResizeFailed");
      expect(message).toContain(
        '"data-db-0" can\'t be expanded: storage class "test-fixed" does not allow it',
      );
      await context.wait(2000);
      expect((await context.statefulSet("db")).metadata.uid).toBe(before.metadata.uid);
      expect(await requests(context)).toEqual(["1Gi"]);
      expect(await context.condition("db", "Available")).toMatchObject({ status: "True" });
    },
  },
  {
    row: "T22c",
    title: "retained volumes that are too small for their new MySQL grow too",
    async run(context) {
      const storage = { className: "test-growing" };
      await context.createReady("db", { storage });
      await bound(context, 1);
      await context.client.delete(Maria, context.key("db"));
      await context.eventually(async () => expect(await context.pods("db")).toEqual([]));
      await context.createReady("db", { storage: { ...storage, size: "3Gi" } });
      await context.eventually(async () => expect(await requests(context)).toEqual(["3Gi"]));
    },
  },
];

/** Waits until claims are bound with the size that they request: only then can they grow. */
async function bound(context: ScenarioContext, count: number): Promise<void> {
  await context.eventually(async () => {
    const claims = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
    expect(claims.map(({ status }) => status?.phase)).toEqual(Array.from({ length: count }, () => "Bound"));
    for (const { status } of claims) expect(status?.capacity).toBeDefined();
  });
}

async function requests(context: ScenarioContext): Promise<unknown[]> {
  const claims = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
  return claims.map(({ spec }) => spec?.resources?.requests?.["storage"]);
}

function templateSize({ spec }: StatefulSet): unknown {
  return spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"];
}

/** Records `readyReplicas` all the time. The function that it returns stops this and returns all values. */
function counts(context: ScenarioContext): () => Promise<unknown[]> {
  const seen = new Set<unknown>();
  const ended = new AbortController();
  const done = (async () => {
    while (!ended.signal.aborted) {
      seen.add((await context.status("db")).readyReplicas);
      await context.wait(10);
    }
  })();
  return async () => {
    ended.abort();
    await done;
    return [...seen];
  };
}
