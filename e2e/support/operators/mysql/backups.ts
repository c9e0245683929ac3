import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { type MariaSpec } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Backups and restores: how changes of passwords, volumes and Jobs affect them. */
export const backups: readonly Scenario[] = [
  {
    row: "V04",
    title: "a password that is rotated during a backup doesn't affect the backup",
    async run(context) {
      await put(context, "given", "first");
      const passwordSecretRef = { name: "given" };
      await context.createReady("db", {
        size: 2,
        database: "shop",
        backupSchedule: "@yearly",
        passwordSecretRef,
      });
      context.decidePods((name) => (name.startsWith("long") ? "unready" : undefined));
      await backUp(context, "long");
      const running = await context.eventually(async () => {
        const [pod] = await podsOf(context, "long");
        expect(pod).toBeDefined();
        return pod!;
      });
      const known = await context.file("db", "backup.cnf");
      await put(context, "given", "second");
      await context.eventually(async () => {
        expect(await context.file("db", "passwords.sql")).toContain("PASSWORD('second')");
      });
      await context.settled("db");
      // It logs in as a dedicated user, whose password no rotation changes.
      expect(await context.file("db", "backup.cnf")).toBe(known);
      const [still] = await podsOf(context, "long");
      expect(still?.metadata).toMatchObject({ uid: running.metadata.uid });
      expect(still?.metadata.deletionTimestamp).toBeUndefined();
      await context.client.patchStatus(Pod, still!, { ...still!.status, phase: "Succeeded" });
      await context.until("db", "BackupReady", "LastSucceeded");
    },
  },
  {
    row: "V05",
    title: "a restore waits for the volume that it names, and its own backups run beside it",
    async run(context) {
      const spec: MariaSpec = { restoreFrom: { name: "source" }, backupSchedule: "@daily", database: "shop" };
      await context.createReady("copy", spec);
      const { message } = await context.until("copy", "Restored", "BackupNotFound");
      expect(message).toContain('"source-backup"');
      await context.until("copy", "BackupReady", "Scheduled");
      await context.until("copy", "Degraded", "AsExpected");
      expect(await context.find(Job, "copy-restore")).toBeUndefined();
      await context.createReady("source", { backupSchedule: "@daily", database: "shop" });
      await context.until("copy", "Restored", "Restored");
      await backUp(context, "copy");
      await context.until("copy", "BackupReady", "LastSucceeded");
      expect((await context.status("source")).lastBackup).toBeUndefined();
    },
  },
  {
    row: "V06",
    title: "a failed restore is tried again when its Job is deleted",
    async run(context) {
      await context.createReady("source", { backupSchedule: "@daily" });
      context.decidePods((name) => (name.startsWith("copy-restore") ? "failed" : undefined));
      await context.create("copy", { restoreFrom: { name: "source" } });
      expect((await context.until("copy", "Restored", "Failed")).message).toContain("delete it");
      context.decidePods(() => undefined);
      await context.client.delete(Job, context.key("copy-restore"), { propagationPolicy: "Background" });
      await context.until("copy", "Restored", "Restored");
    },
  },
  {
    row: "V07",
    title: "a deleted volume of backups is created again",
    async run(context) {
      await context.createReady("db", { backupSchedule: "@daily" });
      const { uid } = (await context.find(PersistentVolumeClaim, "db-backup"))!.metadata;
      await context.client.delete(PersistentVolumeClaim, context.key("db-backup"));
      await context.eventually(async () => {
        const found = await context.find(PersistentVolumeClaim, "db-backup");
        expect(found?.metadata.uid).toEqual(expect.any(String));
        expect(found?.metadata.uid).not.toBe(uid);
      });
    },
  },
];

/** Starts a backup by hand, as `kubectl create job --from` does; `name` is that of the Job. */
async function backUp(context: ScenarioContext, name: string): Promise<void> {
  const cronJob = name === "copy" ? "copy-backup" : "db-backup";
  const { spec } = await context.client.get(CronJob, context.key(cronJob));
  const { metadata, spec: job } = spec.jobTemplate;
  await context.client.create(Job, { metadata: { ...metadata, ...context.key(name) }, spec: job! });
}

async function podsOf(context: ScenarioContext, job: string): Promise<Pod[]> {
  const labels = { "batch.kubernetes.io/job-name": job };
  return context.client.list(Pod, { namespace: context.namespace, labels });
}

async function put(context: ScenarioContext, name: string, password: string): Promise<void> {
  const data = { password: Buffer.from(password).toString("base64") };
  await context.client.apply(Secret, { metadata: context.key(name), data }, { fieldManager: "scenario" });
}
