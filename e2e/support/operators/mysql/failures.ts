import type { Kind, KubernetesObject, NamespacedName } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Failures, and how they are reported. */
export const failures: readonly Scenario[] = [
  {
    row: "T23",
    title:
      "an object of another owner with the same name is left alone and named, and its deletion is enough",
    async run(context) {
      const foreign: [Kind<KubernetesObject, NamespacedName>, KubernetesObject, string][] = [
        [Secret, { apiVersion: "v1", kind: "Secret", metadata: context.key("one-credentials") }, "one"],
        [Secret, { apiVersion: "v1", kind: "Secret", metadata: context.key("two-config") }, "two"],
        [Service, { ...service, metadata: context.key("three") }, "three"],
        [StatefulSet, { ...statefulSet, metadata: context.key("four") }, "four"],
        [CronJob, { ...cronJob, metadata: context.key("five-backup") }, "five"],
        // For these kinds, the operator's cache holds only objects with its labels.
        [PersistentVolumeClaim, { ...claim, metadata: context.key("six-backup") }, "six"],
        [Job, { ...job, metadata: context.key("seven-restore") }, "seven"],
      ];
      await Promise.all(
        foreign.map(async ([kind, object, name]) => {
          const { metadata } = await context.client.create(kind, object);
          const { managedFields: _, ...kept } = metadata;
          const made = { metadata: kept };
          const restore = name === "seven" ? { restoreFrom: { name: "six" } } : {};
          await context.create(name, { backupSchedule: "@daily", ...restore });
          const condition = await context.until(name, "Degraded", "NameConflict");
          expect(condition.message).toContain(`"${made.metadata.name}"`);
          // Its own controller may have written its status; the operator has written nothing.
          const found = await context.find(kind, made.metadata.name ?? "");
          expect(found?.metadata).toMatchObject({ ...made.metadata, resourceVersion: expect.any(String) });
          const path = `/${kind.plural}/${made.metadata.name}`;
          expect(context.writes().filter((request) => request.path.endsWith(path))).toEqual([]);
          await context.client.delete(kind, made, { propagationPolicy: "Background" });
          await context.eventually(async () => {
            const { uid } = (await context.find(kind, made.metadata.name ?? ""))!.metadata;
            expect(uid).not.toBe(made.metadata.uid);
          });
          await context.settled(name);
        }),
      );
    },
  },
  {
    row: "T23b",
    title:
      "two MySQLs of one namespace share nothing, and one whose name clashes with the other's objects reports it",
    async run(context) {
      await context.createReady("db", { backupSchedule: "@daily" });
      await context.createReady("db-2", { backupSchedule: "@daily" });
      const { spec } = (await context.find(Service, "db"))!;
      expect(spec?.selector).toMatchObject({ "app.kubernetes.io/instance": "db" });
      const before = (await context.find(Service, "db-read"))!.metadata;
      // Its primary Service would be the other's Service for reads.
      await context.create("db-read");
      const { message } = await context.until("db-read", "Degraded", "NameConflict");
      expect(message).toContain('Service "db-read"');
      expect((await context.find(Service, "db-read"))!.metadata.resourceVersion).toBe(before.resourceVersion);
      await context.client.delete(Maria, context.key("db-2"));
      await context.eventually(async () => expect(await context.find(Maria, "db-2")).toBeUndefined());
      expect(await context.find(CronJob, "db-backup")).toBeDefined();
      await context.until("db", "Available", "PrimaryReady");
    },
  },
  {
    row: "T39",
    title: "a primary that lost its data is reported, whatever else is wrong, until it may start empty",
    async run(context) {
      await context.createReady("db", { size: 2 });
      await context.eventually(async () => expect(await context.file("db", "initialized")).toBe("true"));
      context.decidePods((name) => (name === "db-0" ? { initExitCode: 3 } : undefined));
      await context.client.delete(Pod, context.key("db-0"));
      expect(await context.until("db", "Degraded", "PrimaryDataLost")).toMatchObject({
        status: "True",
        message: expect.stringContaining("data.example.com/allow-reinit"),
      });
      await context.until("db", "Available", "PrimaryNotReady");
      await context.change("db", { backupSchedule: "99 3 * * *" });
      await context.until("db", "BackupReady", "InvalidSchedule");
      await context.until("db", "Degraded", "PrimaryDataLost");
      // The mark must not be removed with the Secret that passes it to the servers.
      await context.client.delete(Secret, context.key("db-config"));
      await context.eventually(async () => expect(await context.file("db", "initialized")).toBe("true"));

      expect(await context.file("db", "allow-reinit")).toBeUndefined();
      const annotations = { "data.example.com/allow-reinit": "true" };
      await context.client.patch(Maria, context.key("db"), { merge: { metadata: { annotations } } });
      await context.eventually(async () => expect(await context.file("db", "allow-reinit")).toBe("true"));
      context.decidePods(() => undefined);
      await context.until("db", "Degraded", "AsExpected");
    },
  },
  {
    row: "E13",
    title: "a replica that needs purged binary logs is told apart from a slow one, and starts anew as a copy",
    async run(context) {
      await context.createReady("db", { size: 3 });
      const uidOf = async () => (await context.pods("db"))[2]?.metadata.uid;
      context.decidePods((name) => (name === "db-2" ? "unready" : undefined));
      await context.until("db", "Degraded", "ReplicaNotReady");
      const stale = await uidOf();
      context.decidePods((_, { metadata }) => (metadata.uid === stale ? { exitCode: 4 } : undefined));
      await context.eventually(async () => expect(await uidOf()).not.toBe(stale));
      await context.until("db", "Degraded", "AsExpected");
      expect(await context.condition("db", "Available")).toMatchObject({ status: "True" });
      await context.eventually(async () => expect(await context.events("db", "SeededAnew")).toHaveLength(1));
    },
  },
  {
    row: "E14",
    title: "a replica that has what the primary lacks is reported, and kept as it is",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const [, replica] = await context.pods("db");
      context.decidePods((name) => (name === "db-1" ? { exitCode: 5 } : undefined));
      const { message } = await context.until("db", "Degraded", "ReplicaAhead");
      expect(message).toContain("data-db-1");
      await context.quiet();
      expect((await context.pods("db"))[1]?.metadata.uid).toBe(replica?.metadata.uid);
      context.decidePods(() => undefined);
      await context.until("db", "Degraded", "AsExpected");
    },
  },
  {
    row: "M30",
    title: "the result of each backup is reported, also of one started by hand",
    async run(context) {
      await context.createReady("db", { database: "shop", backupSchedule: "0 3 1 1 *" });
      const { spec } = await context.client.get(CronJob, context.key("db-backup"));
      const { metadata, spec: job } = spec.jobTemplate;
      const start = (name: string) =>
        context.client.create(Job, { metadata: { ...metadata, ...context.key(name) }, spec: job! });
      await start("by-hand");
      await context.until("db", "BackupReady", "LastSucceeded");
      const good = await context.status("db");
      expect(good).toMatchObject({ lastBackup: { job: "by-hand", result: "Succeeded" } });
      expect(good.lastBackupTime).toBe(good.lastBackup?.completionTime);
      await context.eventually(async () =>
        expect(await context.events("db", "BackupSucceeded")).toHaveLength(1),
      );

      context.decidePods((name) => (name.startsWith("failing") ? "failed" : undefined));
      await start("failing");
      await context.until("db", "BackupReady", "LastFailed");
      const bad = await context.status("db");
      expect(bad).toMatchObject({ lastBackup: { job: "failing", result: "Failed" } });
      expect(bad.lastBackupTime).toBe(good.lastBackupTime);
      await context.eventually(async () =>
        expect(await context.events("db", "BackupFailed")).toHaveLength(1),
      );
    },
  },
  {
    row: "T37",
    title: "a failed restore is reported and not tried again; a successful one runs once",
    async run(context) {
      context.decidePods((name) => (name.startsWith("bad-restore") ? "failed" : undefined));
      await context.create("other", { backupSchedule: "@daily", size: 0 });
      await context.create("bad", { restoreFrom: { name: "other", file: "absent.sql.gz" } });
      expect(await context.until("bad", "Restored", "Failed")).toMatchObject({ status: "False" });
      await context.eventually(async () =>
        expect(await context.events("bad", "RestoreFailed")).toHaveLength(1),
      );
      await context.client.delete(Maria, context.key("bad"));
      await context.eventually(async () => expect(await context.find(Job, "bad-restore")).toBeUndefined());

      await context.create("good", { restoreFrom: { name: "other" } });
      expect(await context.until("good", "Restored", "Restored")).toMatchObject({ status: "True" });
      const job = (await context.find(Job, "good-restore"))!;
      expect(job.spec?.template.spec?.volumes).toContainEqual({
        name: "backups",
        persistentVolumeClaim: { claimName: "other-backup", readOnly: true },
      });
      await context.client.delete(Job, job, { propagationPolicy: "Background" });
      await context.eventually(async () => expect(await context.find(Job, "good-restore")).toBeUndefined());
      await again(context, "good");
      expect(await context.find(Job, "good-restore")).toBeUndefined();
      // Under its old name it finds its data again, and a backup must not overwrite it.
      await context.client.delete(Maria, context.key("good"));
      await context.eventually(async () => expect(await context.find(Maria, "good")).toBeUndefined());
      await context.createReady("good", { restoreFrom: { name: "other" } });
      await context.until("good", "Restored", "Restored");
      expect(await context.find(Job, "good-restore")).toBeUndefined();
    },
  },
];

/** Triggers a reconcile, and waits for it. */
async function again(context: ScenarioContext, name: string): Promise<void> {
  await context.change(name, { maxReplicaLagSeconds: 61 });
  await context.settled(name);
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
