import type { KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Namespace, PersistentVolumeClaim, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

const retained = "data.example.com/retained";

/** Objects that are deleted with a MySQL, and objects that are retained. */
export const deletions: readonly Scenario[] = [
  {
    row: "T15",
    title:
      "deleted, it retains and marks volumes and passwords; a new MySQL of the same name takes them over",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      const cronJob = await context.client.get(CronJob, context.key("db-backup"));
      const { metadata, spec } = cronJob.spec.jobTemplate;
      // As `kubectl create job --from` does it.
      const { apiVersion, kind } = CronJob;
      const ownerReferences = [{ apiVersion, kind, name: "db-backup", uid: cronJob.metadata.uid }];
      const byHand = { ...metadata, ...context.key("by-hand"), ownerReferences };
      await context.client.create(Job, { metadata: byHand, spec });
      const claims = await uids(context);
      const { data } = (await context.find(Secret, "db-credentials"))!;

      await context.client.delete(Maria, context.key("db"));
      await context.eventually(async () => expect(await context.find(Maria, "db")).toBeUndefined(), {
        within: 10_000,
      });
      await gone(context);
      expect(await uids(context)).toEqual(claims);
      expect(await labels(context)).toEqual(["true", "true", "true", "true"]);
      await context.eventually(async () => expect(await context.events("db", "Retained")).toHaveLength(1));

      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      expect((await context.find(Secret, "db-credentials"))?.data).toEqual(data);
      expect(await uids(context)).toEqual(claims);
      // A cleanup by the mark must not delete the data of a MySQL that exists.
      expect(await labels(context)).toEqual([undefined, undefined, undefined, undefined]);
      expect(await context.file("db", "initialized")).toBe("true");

      // One that never took them over does not delete them.
      await context.remove("db");
      await context.create("db", { deletionPolicy: "Delete", paused: true });
      await context.eventually(async () =>
        expect((await context.find(Maria, "db"))?.metadata.finalizers).toHaveLength(1),
      );
      await context.remove("db");
      expect(await uids(context)).toEqual(claims);
    },
  },
  {
    row: "T16",
    title: "deleted with deletionPolicy Delete, it deletes its data, and its backups if their policy says so",
    async run(context) {
      const spec = { backupSchedule: "@daily", deletionPolicy: "Delete" as const };
      await context.createReady("kept", spec);
      await context.remove("kept");
      await gone(context);
      const claim = await context.find(PersistentVolumeClaim, "kept-backup");
      expect(claim?.metadata.labels).toMatchObject({ [retained]: "true" });
      await context.eventually(async () =>
        expect(await uids(context)).toEqual(new Set([claim?.metadata.uid])),
      );
      await context.client.delete(PersistentVolumeClaim, context.key("kept-backup"));

      await context.createReady("db", { ...spec, size: 2, backup: { deletionPolicy: "Delete" } });
      await context.client.delete(Maria, context.key("db"));
      await context.eventually(async () => expect(await context.find(Maria, "db")).toBeUndefined());
      await gone(context);
      await context.eventually(async () => expect(await uids(context)).toEqual(new Set()));
      expect(await context.find(Secret, "db-credentials")).toBeUndefined();
      await context.eventually(async () => expect(await context.events("db", "Deleted")).toHaveLength(1));
    },
  },
  {
    row: "T17",
    title: "deleted with its namespace, it is gone, and nothing is created again",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      const sent = context.writes().length;
      await context.client.delete(Namespace, { name: context.namespace });
      await context.eventually(async () => {
        expect(await context.client.find(Namespace, { name: context.namespace })).toBeUndefined();
      });
      const after = context.writes().slice(sent);
      // A namespace's kinds are deleted in any order. Where a child goes before its owner, the operator may want it again, which
      // the server refuses.
      expect(after.filter(({ method, status }) => method === "POST" || status === 201)).toEqual([]);
      await context.wait(1000);
      expect(context.writes().slice(sent)).toEqual(after);
    },
  },
  {
    row: "T17b",
    title:
      "deleted after its finalizer was removed by hand, it is gone at once, and nothing is created again",
    async run(context) {
      await context.createReady("db", { size: 1 });
      const { uid } = (await context.get("db")).metadata;
      const told = context.environment.operator().lines.length;
      // Deletion and removal of the finalizer in a row: the operator sees an object that is gone.
      await Promise.all([
        context.client.delete(Maria, context.key("db")),
        context.client
          .patch(Maria, context.key("db"), { merge: { metadata: { finalizers: null } } })
          .catch(() => {}),
      ]);
      await context.eventually(async () => {
        expect((await context.find(Maria, "db"))?.metadata.uid).not.toBe(uid);
        expect(await context.find(StatefulSet, "db")).toBeUndefined();
        expect(await context.find(Service, "db")).toBeUndefined();
      });
      await context.wait(2000);
      expect(await context.find(StatefulSet, "db")).toBeUndefined();
      const errors = context.environment
        .operator()
        .lines.slice(told)
        .filter((line) => line.level === "error" && line["namespace"] === context.namespace);
      expect(errors).toEqual([]);
    },
  },
];

/** Waits until nothing is left that creates objects. */
async function gone(context: ScenarioContext): Promise<void> {
  await context.eventually(async () => {
    for (const kind of [StatefulSet, CronJob, Job, Service])
      expect(await context.client.list(kind as typeof Service, { namespace: context.namespace })).toEqual([]);
  });
}

async function uids(context: ScenarioContext): Promise<Set<unknown>> {
  const claims = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
  return new Set(claims.map(({ metadata }) => metadata.uid));
}

/** The retained objects that must be marked: three volumes and the passwords. */
async function labels(context: ScenarioContext): Promise<unknown[]> {
  const claims = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
  const all: KubernetesObject[] = [...claims, (await context.find(Secret, "db-credentials"))!];
  return all.map(({ metadata }) => metadata.labels?.[retained]);
}
