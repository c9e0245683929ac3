import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { parse } from "yaml";
import { Maria, type MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { repository } from "../source-imports.ts";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

// A list of scenarios with what they share, and so longer than other files.

/** What people try who were not asked to: two things at once, hand edits, objects that others have a hand in. */
export const unforeseen: readonly Scenario[] = [
  {
    row: "V01",
    title: "the samples are accepted as they are, and work",
    async play(stage) {
      for (const [path, image] of [
        ["config/samples/data_v1_maria.yaml", "mariadb:10.11"],
        ["config/samples/mysql-8.4/data_v1_maria.yaml", "mysql:8.4"],
      ] as const) {
        const sample = parse(readFileSync(join(project, path), "utf8")) as Maria;
        const { name = "" } = sample.metadata;
        await stage.create(name, sample.spec);
        await stage.settled(name);
        const pods = await stage.pods(name);
        expect(pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual([image, image]);
        expect((await stage.status(name)).image).toBe(image);
      }
    },
  },
  {
    row: "V02",
    title: "five servers, one, and five again: the volumes of before are theirs again",
    async play(stage) {
      await stage.createReady("db", { size: 5 });
      const before = await claims(stage);
      expect(before).toHaveLength(5);
      for (const size of [1, 5]) {
        await stage.change("db", { size });
        await stage.settled("db");
        await stage.eventually(async () => expect(await stage.pods("db")).toHaveLength(size));
        expect(await claims(stage)).toEqual(before);
        expect((await stage.find(PodDisruptionBudget, "db")) !== undefined).toBe(size > 1);
      }
      expect((await stage.status("db")).readyReplicas).toBe(5);
    },
  },
  {
    row: "V03",
    title: "scaled in the middle of a rollout, all servers have the new image in the end",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      stage.decide((name, pod) =>
        name === "db-1" && imageOf(pod) === "mariadb:11.4" ? "unready" : undefined,
      );
      await stage.change("db", { image: "mariadb:11.4" });
      await stage.until("db", "Progressing", "RollingUpdate");
      await stage.change("db", { size: 3 });
      await stage.eventually(async () => expect((await stage.statefulSet("db")).spec?.replicas).toBe(3));
      expect(await stage.condition("db", "Available")).toMatchObject({ status: "True" });
      await stage.change("db", { size: 1 });
      await stage.change("db", { size: 3 });
      stage.decide(() => undefined);
      await stage.settled("db");
      const pods = await stage.pods("db");
      expect(pods.map(imageOf)).toEqual(["mariadb:11.4", "mariadb:11.4", "mariadb:11.4"]);
      expect(await stage.status("db")).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
    },
  },
  {
    row: "V04",
    title: "a password that is rotated while a backup runs leaves the backup alone",
    async play(stage) {
      await put(stage, "given", "first");
      const passwordSecretRef = { name: "given" };
      await stage.createReady("db", {
        size: 2,
        database: "shop",
        backupSchedule: "@yearly",
        passwordSecretRef,
      });
      stage.decide((name) => (name.startsWith("long") ? "unready" : undefined));
      await backUp(stage, "long");
      const running = await stage.eventually(async () => {
        const [pod] = await podsOf(stage, "long");
        expect(pod).toBeDefined();
        return pod!;
      });
      const known = await stage.file("db", "backup.cnf");
      await put(stage, "given", "second");
      await stage.eventually(async () => {
        expect(await stage.file("db", "init.sql")).toContain("IDENTIFIED BY 'second'");
      });
      await stage.settled("db");
      // It logs in as a user of its own, whose password no rotation changes.
      expect(await stage.file("db", "backup.cnf")).toBe(known);
      const [still] = await podsOf(stage, "long");
      expect(still?.metadata).toMatchObject({ uid: running.metadata.uid });
      expect(still?.metadata.deletionTimestamp).toBeUndefined();
      await stage.client.patchStatus(Pod, still!, { ...still!.status, phase: "Succeeded" });
      await stage.until("db", "BackupReady", "LastSucceeded");
    },
  },
  {
    row: "V05",
    title: "a restore waits for the volume that it names, beside backups of its own",
    async play(stage) {
      const spec: MariaSpec = { restoreFrom: { name: "source" }, backupSchedule: "@daily", database: "shop" };
      await stage.createReady("copy", spec);
      const { message } = await stage.until("copy", "Restored", "BackupNotFound");
      expect(message).toContain('"source-backup"');
      await stage.until("copy", "BackupReady", "Scheduled");
      await stage.until("copy", "Degraded", "AsExpected");
      expect(await stage.find(Job, "copy-restore")).toBeUndefined();
      await stage.createReady("source", { backupSchedule: "@daily", database: "shop" });
      await stage.until("copy", "Restored", "Restored");
      await backUp(stage, "copy");
      await stage.until("copy", "BackupReady", "LastSucceeded");
      expect((await stage.status("source")).lastBackup).toBeUndefined();
    },
  },
  {
    row: "V06",
    title: "a restore that failed is made again when its Job is deleted",
    async play(stage) {
      await stage.createReady("source", { backupSchedule: "@daily" });
      stage.decide((name) => (name.startsWith("copy-restore") ? "failed" : undefined));
      await stage.create("copy", { restoreFrom: { name: "source" } });
      expect((await stage.until("copy", "Restored", "Failed")).message).toContain("delete it");
      stage.decide(() => undefined);
      await stage.client.delete(Job, stage.key("copy-restore"), { propagationPolicy: "Background" });
      await stage.until("copy", "Restored", "Restored");
    },
  },
  {
    row: "V07",
    title: "a volume of backups that is deleted comes back",
    async play(stage) {
      await stage.createReady("db", { backupSchedule: "@daily" });
      const { uid } = (await stage.find(PersistentVolumeClaim, "db-backup"))!.metadata;
      await stage.client.delete(PersistentVolumeClaim, stage.key("db-backup"));
      await stage.eventually(async () => {
        const found = await stage.find(PersistentVolumeClaim, "db-backup");
        expect(found?.metadata.uid).toEqual(expect.any(String));
        expect(found?.metadata.uid).not.toBe(uid);
      });
    },
  },
  {
    row: "V08",
    title: "paused, nothing is repaired; deleted while paused, it ends as ever",
    async play(stage) {
      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      await stage.change("db", { paused: true });
      await stage.wait(1000);
      const sent = stage.writes().length;
      await stage.client.delete(Service, stage.key("db-read"));
      await stage.change("db", { size: 3, image: "mariadb:11.4" });
      await stage.wait(3000);
      expect(stage.writes().slice(sent)).toEqual([]);
      await stage.client.delete(Maria, stage.key("db"));
      await stage.eventually(async () => expect(await stage.find(Maria, "db")).toBeUndefined());
      const kept = await stage.find(PersistentVolumeClaim, "db-backup");
      expect(kept?.metadata.labels).toMatchObject({ "data.example.com/retained": "true" });
    },
  },
  {
    row: "V09",
    title: "made, deleted and made again at once, the last one runs with the data of the first",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      const [passwords, volumes] = [await passwordsOf(stage), await claims(stage)];
      for (let round = 0; round < 4; round += 1) {
        await stage.client.delete(Maria, stage.key("db"));
        await stage.eventually(() =>
          stage.create("db", { size: 2, config: { max_connections: `${50 + round}` } }),
        );
      }
      const { metadata } = await stage.settled("db");
      await stage.until("db", "Degraded", "AsExpected");
      const children = await Promise.all(
        [StatefulSet, Service, PodDisruptionBudget].map((kind) => stage.find<KubernetesObject>(kind, "db")),
      );
      for (const child of children)
        expect(child).toHaveProperty("metadata.ownerReferences.0.uid", metadata.uid);
      expect(await stage.file("db", "my.cnf")).toContain("max_connections=53");
      expect([await passwordsOf(stage), await claims(stage)]).toEqual([passwords, volumes]);
    },
  },
  {
    row: "V10",
    title: "deleted without its children, its like takes them over, and no server stops",
    async play(stage) {
      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      const uids = async () => (await stage.pods("db")).map(({ metadata }) => metadata.uid);
      const before = await uids();
      await stage.client.delete(Maria, stage.key("db"), { propagationPolicy: "Orphan" });
      await stage.eventually(async () => expect(await stage.find(Maria, "db")).toBeUndefined());
      const { metadata } = await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      await stage.until("db", "Degraded", "AsExpected");
      expect(await uids()).toEqual(before);
      const { ownerReferences } = (await stage.statefulSet("db")).metadata;
      expect(ownerReferences).toMatchObject([{ uid: metadata.uid }]);
    },
  },
  {
    row: "V11",
    title: "one that others own and hold ends when they let go, and is not ended twice",
    async play(stage) {
      const owner = await stage.client.create(ConfigMap, { metadata: stage.key("platform") });
      const metadata = { ...stage.key("db"), finalizers: ["example.com/hold"] };
      await stage.client.create(Maria, { metadata, spec: {} }, { owner });
      const { metadata: seen } = await stage.settled("db");
      expect(seen.finalizers).toEqual(["example.com/hold", "data.example.com/mysql"]);
      expect(seen.ownerReferences).toMatchObject([{ name: "platform" }]);
      await stage.client.delete(Maria, stage.key("db"));
      await stage.eventually(async () => {
        expect((await stage.get("db")).metadata.finalizers).toEqual(["example.com/hold"]);
      });
      const sent = stage.writes().length;
      await stage.client.delete(Service, stage.key("db"));
      await stage.wait(2000);
      expect(stage.writes().slice(sent)).toEqual([]);
      await stage.client.patch(Maria, stage.key("db"), { merge: { metadata: { finalizers: null } } });
      await stage.eventually(async () => expect(await stage.find(StatefulSet, "db")).toBeUndefined());
      expect(await stage.events("db", "Retained")).toHaveLength(1);
    },
  },
  {
    row: "V12",
    title: "a Secret that was made immutable is told, and taking it away is enough",
    async play(stage) {
      await stage.createReady("db");
      await stage.client.patch(Secret, stage.key("db-config"), { merge: { immutable: true } });
      await stage.change("db", { config: { max_connections: "77" } });
      const { message } = await stage.until("db", "Degraded", "ChildRejected");
      expect(message).toContain("immutable");
      await stage.client.delete(Secret, stage.key("db-config"));
      await stage.until("db", "Degraded", "AsExpected");
      await stage.settled("db");
      expect(await stage.file("db", "my.cnf")).toContain("max_connections=77");
    },
  },
  {
    row: "V13",
    title: "200 edits, one after the other, end in the last one, and passwords stay",
    async play(stage) {
      await stage.createReady("db", { size: 1 });
      const passwords = await passwordsOf(stage);
      for (let at = 1; at <= 200; at += 1) {
        const config = { max_connections: `${50 + at}` };
        const backupSchedule = at % 5 === 0 ? null : `${at % 60} 3 * * *`;
        await stage.change("db", { size: 1 + (at % 3), config, backupSchedule });
      }
      await stage.settled("db");
      await stage.until("db", "Degraded", "AsExpected");
      expect((await stage.statefulSet("db")).spec?.replicas).toBe(3);
      expect(await stage.file("db", "my.cnf")).toContain("max_connections=250");
      expect(await stage.find(CronJob, "db-backup")).toBeUndefined();
      expect(await passwordsOf(stage)).toEqual(passwords);
    },
  },
  {
    row: "V14",
    title: "a budget and a schedule that were edited by hand are as they were",
    async play(stage) {
      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      const merge = { spec: { maxUnavailable: null, minAvailable: 2 } };
      await stage.client.patch(PodDisruptionBudget, stage.key("db"), { merge });
      await stage.client.patch(CronJob, stage.key("db-backup"), {
        merge: { spec: { schedule: "* * * * *", suspend: true, concurrencyPolicy: "Allow" } },
      });
      await stage.eventually(async () => {
        expect((await stage.find(PodDisruptionBudget, "db"))?.spec).toMatchObject({ maxUnavailable: 1 });
        const { spec } = (await stage.find(CronJob, "db-backup"))!;
        expect(spec).toMatchObject({ schedule: "@daily", suspend: false, concurrencyPolicy: "Forbid" });
      });
      await stage.until("db", "Degraded", "AsExpected");
    },
  },
];

const project = join(repository, "e2e/golden/maria-operator");

function imageOf({ spec }: Pod): string | undefined {
  return spec?.containers[0]?.image;
}

async function claims(stage: Stage): Promise<unknown[]> {
  const list = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
  return list.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

async function passwordsOf(stage: Stage): Promise<unknown> {
  return (await stage.find(Secret, "db-credentials"))?.data;
}

/** Makes a backup by hand, as `kubectl create job --from` does; its Job has the name of the MySQL or of its own. */
async function backUp(stage: Stage, name: string): Promise<void> {
  const cronJob = name === "copy" ? "copy-backup" : "db-backup";
  const { spec } = await stage.client.get(CronJob, stage.key(cronJob));
  const { metadata, spec: job } = spec.jobTemplate;
  await stage.client.create(Job, { metadata: { ...metadata, ...stage.key(name) }, spec: job! });
}

async function podsOf(stage: Stage, job: string): Promise<Pod[]> {
  const labels = { "batch.kubernetes.io/job-name": job };
  return stage.client.list(Pod, { namespace: stage.namespace, labels });
}

async function put(stage: Stage, name: string, password: string): Promise<void> {
  const data = { password: Buffer.from(password).toString("base64") };
  await stage.client.apply(Secret, { metadata: stage.key(name), data }, { fieldManager: "scenario" });
}
