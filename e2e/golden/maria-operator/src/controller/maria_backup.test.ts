/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { namespace, useScene } from "./maria_testing.ts";

const scene = useScene();

test("a schedule creates a CronJob, and removing it deletes the CronJob and keeps the backups", async () => {
  const name = await scene.create("scheduled", { backupSchedule: "*/5 * * * *", database: "shop" });
  const key = { namespace, name: `${name}-backup` };
  const made = await eventually(() => scene.client.get(CronJob, key));
  expect(made.spec).toMatchObject({ schedule: "*/5 * * * *", concurrencyPolicy: "Forbid" });
  await scene.until(name, { BackupReady: "Scheduled" });

  await scene.change(name, (spec) => (spec.backup = { ...spec.backup, suspend: true }));
  await scene.until(name, { BackupReady: "Suspended" });
  await scene.change(name, (spec) => (spec.backupSchedule = "0 3 * * *"));
  await eventually(async () => {
    const { metadata, spec } = await scene.client.get(CronJob, key);
    expect(spec).toMatchObject({ schedule: "0 3 * * *", suspend: true });
    expect(metadata.uid).toBe(made.metadata.uid);
  });

  await scene.change(name, (spec) => delete spec.backupSchedule);
  await eventually(async () => expect(await scene.client.find(CronJob, key)).toBeUndefined());
  expect(await scene.client.get(PersistentVolumeClaim, key)).toBeDefined();
  await scene.until(name, { BackupReady: undefined });
});

test("the status shows the last backup, and the time of the last successful one", async () => {
  const name = await scene.create("backed-up", { backupSchedule: "@daily", database: "shop" });
  const key = { namespace, name: `${name}-backup` };
  const { spec } = await eventually(() => scene.client.get(CronJob, key));
  const { metadata, spec: job } = spec!.jobTemplate;
  const run = async (job_: string, result: "Complete" | "Failed", time: string) => {
    const made = { ...metadata, name: job_, namespace };
    await scene.client.create(Job, { metadata: made, spec: job! });
    await scene.endJob(job_, result, time);
  };
  const [first, second] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"] as const;
  await run("good", "Complete", first);
  await scene.until(name, { BackupReady: "LastSucceeded" });
  await scene.makeBackupPod(name, "good", `${name}-0 0-100-7\n`);
  const source = { job: "good", server: `${name}-0`, gtid: "0-100-7" };
  const expectSource = async () =>
    expect((await scene.get(name)).status?.lastBackup).toMatchObject(source);
  await eventually(expectSource);
  // The pod is deleted, and the status keeps its result.
  await scene.client.delete(Pod, { namespace, name: "good-pod" }, { gracePeriodSeconds: 0 });
  await scene.change(name, (spec) => (spec.maxReplicaLagSeconds = 61));
  await expectSource();
  expect((await scene.get(name)).status).toMatchObject({
    lastBackupTime: first,
    lastBackup: { job: "good", result: "Succeeded" },
  });
  await run("bad", "Failed", second);
  await scene.until(name, { BackupReady: "LastFailed" });
  expect((await scene.get(name)).status).toMatchObject({
    lastBackupTime: first,
    lastBackup: { job: "bad", result: "Failed" },
  });
});

test("a backup is loaded once it exists and the primary is ready, and never again", async () => {
  const name = await scene.createServers("restored", { restoreFrom: { name: "other" } });
  await scene.until(name, { Restored: "Pending" });
  await scene.makeReady(name);
  await scene.until(name, { Restored: "BackupNotFound", Degraded: "AsExpected" });
  await scene.makeVolume(name, "other-backup", "any");
  const key = { namespace, name: `${name}-restore` };
  const job = await eventually(() => scene.client.get(Job, key));
  expect(job.spec?.template.spec?.volumes).toContainEqual({
    name: "backups",
    persistentVolumeClaim: { claimName: "other-backup", readOnly: true },
  });
  await scene.until(name, { Restored: "Running" });
  await scene.endJob(key.name, "Complete", "2026-01-01T00:00:00Z");
  await scene.until(name, { Restored: "Restored" });
  await scene.client.delete(Job, key, { propagationPolicy: "Background" });
  await scene.change(name, (spec) => (spec.maxReplicaLagSeconds = 61));
  expect(await scene.client.find(Job, key)).toBeUndefined();
});
