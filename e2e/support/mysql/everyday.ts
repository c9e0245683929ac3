import type { Kind } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { Stage } from "./stage.ts";

const finalizer = "data.example.com/mysql";

/** What people may read who may not read Secrets. */
const openKinds: readonly Kind[] = [
  StatefulSet,
  Service,
  CronJob,
  Job,
  PodDisruptionBudget,
  PersistentVolumeClaim,
];

/** What people do every day. */
export const everyday: readonly Scenario[] = [
  {
    row: "T02",
    title: "an empty spec gets its defaults and one server, then all is quiet",
    async play(stage) {
      await stage.createReady("db");
      const { metadata, spec } = await stage.get("db");
      const defaults = { size: 1, username: "app", backupPath: "/backups", deletionPolicy: "Retain" };
      expect(spec).toMatchObject(defaults);
      expect(spec).not.toHaveProperty("password");
      expect(metadata.finalizers).toEqual([finalizer]);
      const { namespace } = stage;
      expect(await namesOf(stage, Secret)).toEqual(new Set(["db-config", "db-credentials"]));
      expect(await namesOf(stage, Service)).toEqual(new Set(["db", "db-headless", "db-read"]));
      expect((await stage.statefulSet("db")).spec?.replicas).toBe(1);
      expect(await stage.client.list(CronJob, { namespace })).toEqual([]);
      expect(await stage.client.list(PodDisruptionBudget, { namespace })).toEqual([]);
      await stage.quiet();
    },
  },
  {
    row: "T03",
    title: "the walk-through's sample works, and its password stands nowhere but in Secrets",
    async play(stage) {
      const spec = { username: "root", password: "password123", database: "mydb", size: 3 };
      await stage.createReady("db", { ...spec, backupSchedule: "*/5 * * * *", backupPath: "/backups" });
      const { namespace } = stage;
      expect((await stage.statefulSet("db")).spec?.replicas).toBe(3);
      expect(await stage.find(PodDisruptionBudget, "db")).toBeDefined();
      expect((await stage.find(CronJob, "db-backup"))?.spec?.schedule).toBe("*/5 * * * *");
      expect(await stage.condition("db", "InlinePassword")).toMatchObject({ status: "True" });
      await stage.eventually(async () => expect(await stage.events("db", "InlinePassword")).toHaveLength(1));
      const [event] = await stage.events("db", "InlinePassword");
      expect(event).toMatchObject({ type: "Warning" });
      expect(event!.series).toBeUndefined();
      const open = await Promise.all(openKinds.map((kind) => stage.client.list(kind, { namespace })));
      expect(JSON.stringify([open, await stage.pods("db")])).not.toContain("password123");
      expect(JSON.stringify(stage.theatre.operator().lines)).not.toContain("password123");
      const [pod] = await stage.pods("db");
      expect(JSON.stringify(pod?.spec)).not.toContain("MYSQL_USER");
    },
  },
  {
    row: "T04",
    title: "one more server is added beside the old one, and the columns say so",
    async play(stage) {
      await stage.createReady("db");
      const [first] = await stage.pods("db");
      await stage.change("db", { size: 2 });
      await stage.settled("db");
      const pods = await stage.pods("db");
      expect(pods.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
      expect(pods[0]?.metadata.uid).toBe(first?.metadata.uid);
      expect((await stage.status("db")).readyReplicas).toBe(2);
      expect(await printed(stage, "db")).toMatchObject({ Size: 2, Ready: 2, Available: "True" });
    },
  },
  {
    row: "T05",
    title: "the scale subresource scales, and says how many there are",
    async play(stage) {
      await stage.createReady("db");
      const { metadata } = await stage.get("db");
      const scale = stage.client.subresource<Scale>(Maria, stage.key("db"), "scale");
      await scale.patch({ merge: { spec: { replicas: 3 } } });
      const scaled = await stage.get("db");
      expect(scaled.spec.size).toBe(3);
      expect(scaled.metadata.generation).toBe((metadata.generation ?? 0) + 1);
      await stage.eventually(async () => expect((await stage.statefulSet("db")).spec?.replicas).toBe(3));
      await stage.settled("db");
      expect((await scale.get()).status).toEqual({
        replicas: 3,
        selector:
          "app.kubernetes.io/name=maria,app.kubernetes.io/instance=db,app.kubernetes.io/component=server",
      });
    },
  },
  {
    row: "T07",
    title: "a new image is one write to the StatefulSet, and a rollout until all servers have it",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      const before = await stage.statefulSet("db");
      const seen = new Set<string>();
      const sent = stage.writes().length;
      // A server that does not get ready keeps the rollout from going on, so that it can be looked at.
      stage.decide((name, pod) =>
        name === "db-1" && pod.spec?.containers[0]?.image === "mariadb:11.4" ? "unready" : undefined,
      );
      const { metadata } = await stage.change("db", { image: "mariadb:11.4" });
      await stage.until("db", "Progressing", "RollingUpdate");
      stage.decide((name) => void seen.add(name));
      await stage.settled("db");
      expect((await stage.status("db")).observedGeneration).toBe(metadata.generation);
      expect((await stage.status("db")).updatedReplicas).toBe(2);
      const written = stage
        .writes()
        .slice(sent)
        .filter(({ path }) => path.includes("/statefulsets/"));
      expect(written).toHaveLength(1);
      const after = await stage.statefulSet("db");
      expect(JSON.stringify(after.spec).replaceAll("mariadb:11.4", "mariadb:10.11")).toBe(
        JSON.stringify(before.spec),
      );
    },
  },
  {
    row: "T08",
    title: "servers are replaced replicas first, and one bad image stops at one server",
    async play(stage) {
      await stage.createReady("db", { size: 3 });
      const claims = async () =>
        (await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace })).map(
          ({ metadata }) => metadata.uid,
        );
      const volumes = await claims();
      const order: string[] = [];
      stage.decide((name, pod) => {
        if (pod.spec?.containers[0]?.image === "mariadb:none") return "no-image";
        if (pod.spec?.containers[0]?.image === "mariadb:11.4" && !order.includes(name)) order.push(name);
        return undefined;
      });
      await stage.change("db", { image: "mariadb:11.4" });
      await stage.settled("db");
      expect(order).toEqual(["db-2", "db-1", "db-0"]);
      expect(await claims()).toEqual(volumes);

      const { lastTransitionTime } = (await stage.condition("db", "Available"))!;
      await stage.change("db", { image: "mariadb:none" });
      await stage.until("db", "Degraded", "ReplicaNotReady");
      await stage.wait(2000);
      const pods = await stage.pods("db");
      expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Pending"]);
      await stage.change("db", { image: "mariadb:11.4" });
      await stage.settled("db");
      await stage.until("db", "Degraded", "AsExpected");
      expect(await stage.condition("db", "Available")).toMatchObject({ status: "True", lastTransitionTime });
    },
  },
  {
    row: "T09",
    title: "what is deleted by hand comes back as it was",
    async play(stage) {
      await stage.createReady("db", { size: 2 });
      const kept = async () => [
        (await stage.find(Secret, "db-credentials"))?.metadata.resourceVersion,
        (await stage.find(Secret, "db-config"))?.data,
        (await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace })).map(
          ({ metadata }) => metadata.uid,
        ),
      ];
      const before = await kept();
      const children: [Kind, string][] = [
        [Service, "db"],
        [Service, "db-read"],
        [Service, "db-headless"],
        [PodDisruptionBudget, "db"],
        [Secret, "db-config"],
        [StatefulSet, "db"],
      ];
      for (const [kind, name] of children) {
        const old = await stage.find(kind, name);
        await stage.client.delete(kind, stage.key(name), { propagationPolicy: "Background" });
        await stage.eventually(async () => {
          const found = await stage.find(kind, name);
          expect(found?.metadata.uid).not.toBe(old?.metadata.uid);
          expect(found).toHaveProperty("metadata.ownerReferences.0.name", "db");
        });
      }
      await stage.settled("db");
      expect(await kept()).toEqual(before);
    },
  },
  {
    row: "T11",
    title: "what is not ours stays, and nobody fights over it",
    async play(stage) {
      await stage.createReady("db");
      const merge = { metadata: { annotations: { note: "mine" }, labels: { team: "shop" } } };
      await stage.client.patch(StatefulSet, stage.key("db"), { merge });
      await stage.client.patch(Service, stage.key("db"), { merge });
      await stage.client.patch(Maria, stage.key("db"), { merge: { metadata: { annotations: { a: "b" } } } });
      await stage.quiet();
      expect((await stage.statefulSet("db")).metadata.annotations).toMatchObject({ note: "mine" });
      expect((await stage.find(Service, "db"))?.metadata.labels).toMatchObject({ team: "shop" });
    },
  },
  {
    row: "T34",
    title: "a schedule is made, suspended, changed in place and taken away; a bad one is told once",
    async play(stage) {
      await stage.createReady("db", { database: "shop", backupSchedule: "0 3 * * *" });
      const made = (await stage.find(CronJob, "db-backup"))!;
      expect(made.spec).toMatchObject({ schedule: "0 3 * * *", suspend: false });
      await stage.until("db", "BackupReady", "Scheduled");

      await stage.change("db", { backup: { suspend: true } });
      await stage.until("db", "BackupReady", "Suspended");
      expect((await stage.find(CronJob, "db-backup"))?.spec?.suspend).toBe(true);

      await stage.change("db", { backup: { suspend: false }, backupSchedule: "30 4 * * *" });
      await stage.until("db", "BackupReady", "Scheduled");
      const changed = (await stage.find(CronJob, "db-backup"))!;
      expect(changed.spec).toMatchObject({ schedule: "30 4 * * *", suspend: false });
      expect(changed.metadata.uid).toBe(made.metadata.uid);

      await stage.change("db", { backupSchedule: "99 3 * * *" });
      expect(await stage.until("db", "BackupReady", "InvalidSchedule")).toMatchObject({ status: "False" });
      expect(await stage.condition("db", "Degraded")).toMatchObject({ status: "False" });
      const sent = stage.writes().length;
      await stage.wait(3000);
      expect(stage.writes().length - sent).toBeLessThanOrEqual(1);

      await stage.change("db", { backupSchedule: null });
      await stage.eventually(async () => expect(await stage.find(CronJob, "db-backup")).toBeUndefined());
      expect(await stage.find(PersistentVolumeClaim, "db-backup")).toBeDefined();
      expect(await stage.condition("db", "BackupReady")).toBeUndefined();
    },
  },
];

interface Scale {
  apiVersion: string;
  kind: string;
  metadata: { name?: string };
  spec: { replicas: number };
  status?: { replicas: number; selector: string };
}

interface Table {
  columnDefinitions: { name: string }[];
  rows: { cells: unknown[] }[];
}

async function namesOf(stage: Stage, kind: Kind): Promise<Set<string | undefined>> {
  const objects = await stage.client.list(kind, { namespace: stage.namespace });
  return new Set(objects.map(({ metadata }) => metadata.name));
}

/** The columns that kubectl would print. */
async function printed(stage: Stage, name: string): Promise<Record<string, unknown>> {
  const { text } = await stage.client.request({
    path: `/apis/data.example.com/v1/namespaces/${stage.namespace}/maria/${name}`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  const { columnDefinitions, rows } = JSON.parse(text) as Table;
  return Object.fromEntries(columnDefinitions.map(({ name: column }, at) => [column, rows[0]?.cells[at]]));
}
