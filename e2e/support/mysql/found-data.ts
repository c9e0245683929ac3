import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import {
  labelsOf,
  OWNER_ANNOTATION,
  selectorLabels,
} from "../../golden/maria-operator/src/controller/maria_names.ts";
import { statefulSetFor } from "../../golden/maria-operator/src/controller/maria_resources.ts";
import type { ScenarioContext } from "./context.ts";
import type { Scenario } from "./scenarios.ts";

/** Data that was there before: that of others, of older versions, and what an earlier MySQL left. */
export const foundData: readonly Scenario[] = [
  {
    row: "F01",
    title: "claims and Jobs of others with the same labels are left alone",
    async run(context) {
      for (const deletionPolicy of ["Retain", "Delete"] as const) {
        const name = `beside-${deletionPolicy.toLowerCase()}`;
        const maria = await context.createReady(name, { deletionPolicy });
        const claims = {
          [`data-of-${name}`]: labelsOf(maria, "server"),
          [`backups-of-${name}`]: labelsOf(maria, "backup"),
          [`data-${name}-7`]: selectorLabels(maria, "server"),
        };
        for (const [claim, labels] of Object.entries(claims)) await makeClaim(context, claim, labels);
        const metadata = { ...context.key(`job-of-${name}`), labels: labelsOf(maria, "backup") };
        const containers = [{ name: "x", image: "x" }];
        const template = { spec: { restartPolicy: "Never" as const, containers } };
        await context.client.create(Job, { metadata, spec: { suspend: true, template } });
        await context.remove(name);
        for (const claim of Object.keys(claims)) {
          const found = await context.find(PersistentVolumeClaim, claim);
          expect(found?.metadata.labels).toEqual(claims[claim]);
          expect(found?.metadata.deletionTimestamp).toBeUndefined();
        }
        expect((await context.find(Job, metadata.name))?.metadata.deletionTimestamp).toBeUndefined();
      }
    },
  },
  {
    row: "F02",
    title: "data that an older version created without an owner's uid is adopted, and deleted with its MySQL",
    async run(context) {
      const maria = await context.create("db", { deletionPolicy: "Delete", paused: true });
      const old = ["data-db-0", "data-db-3"];
      const labels = selectorLabels(maria, "server");
      for (const claim of old) await makeClaim(context, claim, labels);
      const { spec } = statefulSetFor(maria, { all: "", settings: "" }, 0);
      const volumeClaimTemplates = [{ metadata: { name: "data", labels }, spec: claimSpec }];
      await context.client.create(
        StatefulSet,
        {
          metadata: { ...context.key("db"), labels: labelsOf(maria, "server") },
          spec: { ...spec!, volumeClaimTemplates },
        },
        { owner: maria },
      );
      await context.change("db", { paused: false });
      const owner = { [OWNER_ANNOTATION]: maria.metadata.uid };
      await context.eventually(async () => {
        for (const claim of old) {
          const { metadata } = (await context.find(PersistentVolumeClaim, claim))!;
          expect(metadata.annotations).toMatchObject(owner);
        }
        expect((await context.find(Secret, "db-credentials"))!.metadata.annotations).toMatchObject(owner);
      });
      await context.remove("db");
      await context.eventually(async () => {
        expect(await context.client.list(PersistentVolumeClaim, { namespace: context.namespace })).toEqual(
          [],
        );
      });
    },
  },
  {
    row: "F03",
    title: "a restore over retained data waits for the primary",
    async run(context) {
      await context.createReady("third", { backupSchedule: "@daily" });
      await context.createReady("kept");
      await context.eventually(async () => expect(await context.file("kept", "initialized")).toBe("true"));
      await context.remove("kept");
      context.decidePods((name) => (name === "kept-0" ? "unready" : undefined));
      await context.create("kept", { restoreFrom: { name: "third" } });
      await context.until("kept", "Restored", "Pending");
      await context.wait(2000);
      expect(await context.find(Job, "kept-restore")).toBeUndefined();
      context.decidePods(() => undefined);
      await context.until("kept", "Restored", "Restored");
    },
  },
];

const claimSpec = {
  accessModes: ["ReadWriteOnce" as const],
  resources: { requests: { storage: "1Gi" } },
};

async function makeClaim(context: ScenarioContext, name: string, labels: object): Promise<void> {
  const metadata = { ...context.key(name), labels: { ...labels } };
  await context.client.create(PersistentVolumeClaim, { metadata, spec: claimSpec });
}
