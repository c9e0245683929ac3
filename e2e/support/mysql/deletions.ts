import type { KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Namespace, PersistentVolumeClaim, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

const retained = "data.example.com/retained";

/** What is left of a MySQL, and what is not. */
export const deletions: readonly Scenario[] = [
  {
    row: "T15",
    title: "deleted, it leaves volumes and passwords marked as left; its like finds them again",
    async play(stage) {
      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      const cronJob = await stage.client.get(CronJob, stage.key("db-backup"));
      const { metadata, spec } = cronJob.spec.jobTemplate;
      // As `kubectl create job --from` does it.
      const { apiVersion, kind } = CronJob;
      const ownerReferences = [{ apiVersion, kind, name: "db-backup", uid: cronJob.metadata.uid! }];
      const byHand = { ...metadata, ...stage.key("by-hand"), ownerReferences };
      await stage.client.create(Job, { metadata: byHand, spec });
      const claims = await uids(stage);
      const { data } = (await stage.find(Secret, "db-credentials"))!;

      await stage.client.delete(Maria, stage.key("db"));
      await stage.eventually(async () => expect(await stage.find(Maria, "db")).toBeUndefined());
      await gone(stage);
      expect(await uids(stage)).toEqual(claims);
      expect(await labels(stage)).toEqual(["true", "true", "true", "true"]);
      await stage.eventually(async () => expect(await stage.events("db", "Retained")).toHaveLength(1));

      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      expect((await stage.find(Secret, "db-credentials"))?.data).toEqual(data);
      expect(await uids(stage)).toEqual(claims);
      // Whoever tidies up what is marked as left must not take the data of one that lives.
      expect(await labels(stage)).toEqual([undefined, undefined, undefined, undefined]);
      expect(await stage.file("db", "initialized")).toBe("true");
    },
  },
  {
    row: "T16",
    title: "deleted with deletionPolicy Delete, it takes its data along, and its backups if they shall go",
    async play(stage) {
      const spec = { backupSchedule: "@daily", deletionPolicy: "Delete" as const };
      await stage.createReady("kept", spec);
      await stage.client.delete(Maria, stage.key("kept"));
      await stage.eventually(async () => expect(await stage.find(Maria, "kept")).toBeUndefined());
      await gone(stage);
      const claim = await stage.find(PersistentVolumeClaim, "kept-backup");
      expect(claim?.metadata.labels).toMatchObject({ [retained]: "true" });
      await stage.eventually(async () => expect(await uids(stage)).toEqual(new Set([claim?.metadata.uid])));
      await stage.client.delete(PersistentVolumeClaim, stage.key("kept-backup"));

      await stage.createReady("db", { ...spec, size: 2, backup: { deletionPolicy: "Delete" } });
      await stage.client.delete(Maria, stage.key("db"));
      await stage.eventually(async () => expect(await stage.find(Maria, "db")).toBeUndefined());
      await gone(stage);
      await stage.eventually(async () => expect(await uids(stage)).toEqual(new Set()));
      expect(await stage.find(Secret, "db-credentials")).toBeUndefined();
      await stage.eventually(async () => expect(await stage.events("db", "Deleted")).toHaveLength(1));
    },
  },
  {
    row: "T17",
    title: "deleted with its namespace, it makes nothing any more and goes",
    async play(stage) {
      await stage.createReady("db", { size: 2, backupSchedule: "@daily" });
      const sent = stage.writes().length;
      await stage.client.delete(Namespace, { name: stage.namespace });
      await stage.eventually(async () => {
        expect(await stage.client.find(Namespace, { name: stage.namespace })).toBeUndefined();
      });
      const after = stage.writes().slice(sent);
      const isRefused = ({ status }: { status: number }) => status === 403;
      expect(after.filter((request) => request.method === "POST" || isRefused(request))).toEqual([]);
      await stage.wait(1000);
      expect(stage.writes().slice(sent)).toEqual(after);
    },
  },
  {
    row: "T17b",
    title: "with its finalizer taken off by hand it goes at once, and nothing is made again",
    async play(stage) {
      await stage.createReady("db", { size: 1 });
      const { uid } = (await stage.get("db")).metadata;
      const told = stage.theatre.operator().lines.length;
      // Deletion and finalizer in one breath: the operator sees an object that is gone.
      await Promise.all([
        stage.client.delete(Maria, stage.key("db")),
        stage.client
          .patch(Maria, stage.key("db"), { merge: { metadata: { finalizers: null } } })
          .catch(() => {}),
      ]);
      await stage.eventually(async () => {
        expect((await stage.find(Maria, "db"))?.metadata.uid).not.toBe(uid);
        expect(await stage.find(StatefulSet, "db")).toBeUndefined();
        expect(await stage.find(Service, "db")).toBeUndefined();
      });
      await stage.wait(2000);
      expect(await stage.find(StatefulSet, "db")).toBeUndefined();
      const errors = stage.theatre
        .operator()
        .lines.slice(told)
        .filter((line) => line.level === "error" && line["namespace"] === stage.namespace);
      expect(errors).toEqual([]);
    },
  },
];

/** Waits until nothing is left that makes something. */
async function gone(stage: Stage): Promise<void> {
  await stage.eventually(async () => {
    for (const kind of [StatefulSet, CronJob, Job, Service])
      expect(await stage.client.list(kind as typeof Service, { namespace: stage.namespace })).toEqual([]);
  });
}

async function uids(stage: Stage): Promise<Set<unknown>> {
  const claims = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
  return new Set(claims.map(({ metadata }) => metadata.uid));
}

/** The mark on what is left: three volumes and the passwords. */
async function labels(stage: Stage): Promise<unknown[]> {
  const claims = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
  const all: KubernetesObject[] = [...claims, (await stage.find(Secret, "db-credentials"))!];
  return all.map(({ metadata }) => metadata.labels?.[retained]);
}
