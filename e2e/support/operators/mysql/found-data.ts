import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { labelsOf, selectorLabels } from "../../../golden/maria-operator/src/controller/maria_names.ts";
import type { ScenarioContext } from "./context.ts";
import type { Scenario } from "./scenarios.ts";

/** Data that was there before: that of others, and what an earlier MySQL left. */
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
