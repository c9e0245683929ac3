import type { Kind, KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

/** What goes wrong, and how it is told. */
export const failures: readonly Scenario[] = [
  {
    row: "T23",
    title: "a stranger's object of the same name is left alone and named, and its going is enough",
    async play(stage) {
      const foreign: [Kind, KubernetesObject, string][] = [
        [Secret, { apiVersion: "v1", kind: "Secret", metadata: stage.key("one-credentials") }, "one"],
        [Secret, { apiVersion: "v1", kind: "Secret", metadata: stage.key("two-config") }, "two"],
        [Service, { ...service, metadata: stage.key("three") }, "three"],
        [StatefulSet, { ...statefulSet, metadata: stage.key("four") }, "four"],
        [CronJob, { ...cronJob, metadata: stage.key("five-backup") }, "five"],
        // Of these kinds the operator's cache knows only what has its labels.
        [PersistentVolumeClaim, { ...claim, metadata: stage.key("six-backup") }, "six"],
        [Job, { ...job, metadata: stage.key("seven-restore") }, "seven"],
      ];
      await Promise.all(
        foreign.map(async ([kind, object, name]) => {
          const { metadata } = await stage.client.create(kind, object);
          const { managedFields: _, ...kept } = metadata;
          const made = { metadata: kept };
          const restore = name === "seven" ? { restoreFrom: { name: "six" } } : {};
          await stage.create(name, { backupSchedule: "@daily", ...restore });
          const condition = await stage.until(name, "Degraded", "NameConflict");
          expect(condition.message).toContain(`"${made.metadata.name}"`);
          // Its own controller may have written its status; the operator has written nothing.
          const found = await stage.find(kind, made.metadata.name ?? "");
          expect(found?.metadata).toMatchObject({ ...made.metadata, resourceVersion: expect.any(String) });
          const path = `/${kind.plural}/${made.metadata.name}`;
          expect(stage.writes().filter((request) => request.path.endsWith(path))).toEqual([]);
          await stage.client.delete(kind, made, { propagationPolicy: "Background" });
          await stage.eventually(async () => {
            const { uid } = (await stage.find(kind, made.metadata.name ?? ""))!.metadata;
            expect(uid).not.toBe(made.metadata.uid);
          });
          await stage.settled(name);
        }),
      );
    },
  },
  {
    row: "T23b",
    title: "two MySQLs of one namespace don't meet, and one that takes the other's name says so",
    async play(stage) {
      await stage.createReady("db", { backupSchedule: "@daily" });
      await stage.createReady("db-2", { backupSchedule: "@daily" });
      const { spec } = (await stage.find(Service, "db"))!;
      expect(spec?.selector).toMatchObject({ "app.kubernetes.io/instance": "db" });
      const before = (await stage.find(Service, "db-read"))!.metadata;
      // Its primary Service would be the other's Service for reads.
      await stage.create("db-read");
      const { message } = await stage.until("db-read", "Degraded", "NameConflict");
      expect(message).toContain('Service "db-read"');
      expect((await stage.find(Service, "db-read"))!.metadata.resourceVersion).toBe(before.resourceVersion);
      await stage.client.delete(Maria, stage.key("db-2"));
      await stage.eventually(async () => expect(await stage.find(Maria, "db-2")).toBeUndefined());
      expect(await stage.find(CronJob, "db-backup")).toBeDefined();
      await stage.until("db", "Available", "PrimaryReady");
    },
  },
  {
    row: "T39",
    title: "a primary that lost its data is told, whatever else is wrong, until it may start from nothing",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      await stage.eventually(async () => expect(await stage.file("db", "initialized")).toBe("true"));
      stage.decide((name) => (name === "db-0" ? { refusedWith: 3 } : undefined));
      await stage.client.delete(Pod, stage.key("db-0"));
      expect(await stage.until("db", "Degraded", "PrimaryDataLost")).toMatchObject({
        status: "True",
        message: expect.stringContaining("data.example.com/allow-reinit"),
      });
      await stage.until("db", "Available", "PrimaryNotReady");
      await stage.change("db", { backupSchedule: "99 3 * * *" });
      await stage.until("db", "BackupReady", "InvalidSchedule");
      await stage.until("db", "Degraded", "PrimaryDataLost");
      // The mark must not go with the Secret that carries it to the servers.
      await stage.client.delete(Secret, stage.key("db-config"));
      await stage.eventually(async () => expect(await stage.file("db", "initialized")).toBe("true"));

      expect(await stage.file("db", "allow-reinit")).toBeUndefined();
      const annotations = { "data.example.com/allow-reinit": "true" };
      await stage.client.patch(Maria, stage.key("db"), { merge: { metadata: { annotations } } });
      await stage.eventually(async () => expect(await stage.file("db", "allow-reinit")).toBe("true"));
      stage.decide(() => undefined);
      await stage.until("db", "Degraded", "AsExpected");
    },
  },
  {
    row: "E13",
    title: "a replica that the primary has nothing left for is told apart from one that is slow",
    async play(stage) {
      await stage.createReady("db", { size: 3 });
      stage.decide((name) => (name === "db-2" ? "unready" : undefined));
      await stage.until("db", "Degraded", "ReplicaNotReady");
      stage.decide((name) => (name === "db-2" ? { endedWith: 4 } : undefined));
      const { message } = await stage.until("db", "Degraded", "ReplicaStale");
      expect(message).toContain("data-db-2");
      expect(await stage.condition("db", "Available")).toMatchObject({ status: "True" });
      stage.decide(() => undefined);
      await stage.until("db", "Degraded", "AsExpected");
    },
  },
  {
    row: "M30",
    title: "backups are told as they end, those made by hand too",
    async play(stage) {
      await stage.createReady("db", { database: "shop", backupSchedule: "0 3 1 1 *" });
      const { spec } = await stage.client.get(CronJob, stage.key("db-backup"));
      const { metadata, spec: job } = spec.jobTemplate;
      const start = (name: string) =>
        stage.client.create(Job, { metadata: { ...metadata, ...stage.key(name) }, spec: job! });
      await start("by-hand");
      await stage.until("db", "BackupReady", "LastSucceeded");
      const good = await stage.status("db");
      expect(good).toMatchObject({ lastBackup: { job: "by-hand", result: "Succeeded" } });
      expect(good.lastBackupTime).toBe(good.lastBackup?.completionTime);
      await stage.eventually(async () => expect(await stage.events("db", "BackupSucceeded")).toHaveLength(1));

      stage.decide((name) => (name.startsWith("failing") ? "failed" : undefined));
      await start("failing");
      await stage.until("db", "BackupReady", "LastFailed");
      const bad = await stage.status("db");
      expect(bad).toMatchObject({ lastBackup: { job: "failing", result: "Failed" } });
      expect(bad.lastBackupTime).toBe(good.lastBackupTime);
      await stage.eventually(async () => expect(await stage.events("db", "BackupFailed")).toHaveLength(1));
    },
  },
  {
    row: "T37",
    title: "a restore that fails says so and is not tried again; one that works is made once",
    async play(stage) {
      stage.decide((name) => (name.startsWith("bad-restore") ? "failed" : undefined));
      await stage.create("other", { backupSchedule: "@daily", size: 0 });
      await stage.create("bad", { restoreFrom: { name: "other", file: "absent.sql.gz" } });
      expect(await stage.until("bad", "Restored", "Failed")).toMatchObject({ status: "False" });
      await stage.eventually(async () => expect(await stage.events("bad", "RestoreFailed")).toHaveLength(1));

      await stage.create("good", { restoreFrom: { name: "other" } });
      expect(await stage.until("good", "Restored", "Restored")).toMatchObject({ status: "True" });
      const job = (await stage.find(Job, "good-restore"))!;
      expect(job.spec?.template.spec?.volumes).toContainEqual({
        name: "backups",
        persistentVolumeClaim: { claimName: "other-backup", readOnly: true },
      });
      await stage.client.delete(Job, job, { propagationPolicy: "Background" });
      await stage.eventually(async () => expect(await stage.find(Job, "good-restore")).toBeUndefined());
      await again(stage, "good");
      expect(await stage.find(Job, "good-restore")).toBeUndefined();
      // Under its old name it finds its data again, and a backup must not overwrite them.
      await stage.client.delete(Maria, stage.key("good"));
      await stage.eventually(async () => expect(await stage.find(Maria, "good")).toBeUndefined());
      await stage.createReady("good", { restoreFrom: { name: "other" } });
      await stage.until("good", "Restored", "Restored");
      expect(await stage.find(Job, "good-restore")).toBeUndefined();
    },
  },
];

/** Makes the operator look again, and waits until it has. */
async function again(stage: Stage, name: string): Promise<void> {
  await stage.change(name, { maxReplicaLagSeconds: 61 });
  await stage.settled(name);
}

const service = { apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 80, protocol: "TCP" }] } };
const container = { name: "c", image: "busybox" };
const statefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  spec: {
    replicas: 0,
    serviceName: "none",
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
  },
};
const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const job = {
  apiVersion: "batch/v1",
  kind: "Job",
  spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers: [container] } } },
};
const cronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  spec: {
    schedule: "0 0 1 1 *",
    jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
  },
};
