import type { Kind, KubernetesObject, NamespacedName } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

const finalizer = "data.example.com/mysql";

/** The kinds that users without access to Secrets may read. */
const openKinds: readonly Kind[] = [
  StatefulSet,
  Service,
  CronJob,
  Job,
  PodDisruptionBudget,
  PersistentVolumeClaim,
];

/** Everyday use. */
export const everyday: readonly Scenario[] = [
  {
    row: "T02",
    title: "an empty spec gets its defaults and one server, then nothing is written",
    async run(context) {
      await context.createReady("db");
      const { metadata, spec } = await context.get("db");
      const defaults = { size: 1, username: "app", backupPath: "/backups", deletionPolicy: "Retain" };
      expect(spec).toMatchObject(defaults);
      expect(spec).not.toHaveProperty("password");
      expect(metadata.finalizers).toEqual([finalizer]);
      const { namespace } = context;
      expect(await namesOf(context, Secret)).toEqual(new Set(["db-config", "db-credentials"]));
      expect(await namesOf(context, Service)).toEqual(new Set(["db", "db-headless", "db-read"]));
      expect((await context.statefulSet("db")).spec?.replicas).toBe(1);
      expect(await context.client.list(CronJob, { namespace })).toEqual([]);
      expect(await context.client.list(PodDisruptionBudget, { namespace })).toEqual([]);
      await context.quiet();
    },
  },
  {
    row: "T03",
    title: "the walk-through's sample works, and its password is in no object but the MySQL and Secrets",
    async run(context) {
      const spec = { username: "root", password: "password123", database: "mydb", size: 3 };
      await context.createReady("db", { ...spec, backupSchedule: "*/5 * * * *", backupPath: "/backups" });
      const { namespace } = context;
      expect((await context.statefulSet("db")).spec?.replicas).toBe(3);
      expect(await context.find(PodDisruptionBudget, "db")).toBeDefined();
      expect((await context.find(CronJob, "db-backup"))?.spec?.schedule).toBe("*/5 * * * *");
      expect(await context.condition("db", "InlinePassword")).toMatchObject({ status: "True" });
      await context.eventually(async () =>
        expect(await context.events("db", "InlinePassword")).toHaveLength(1),
      );
      const [event] = await context.events("db", "InlinePassword");
      expect(event).toMatchObject({ type: "Warning" });
      expect(event!.series).toBeUndefined();
      const open = await Promise.all(openKinds.map((kind) => context.client.list(kind, { namespace })));
      expect(JSON.stringify([open, await context.pods("db")])).not.toContain("password123");
      expect(JSON.stringify(context.environment.operator().lines)).not.toContain("password123");
      const [pod] = await context.pods("db");
      expect(JSON.stringify(pod?.spec)).not.toContain("MYSQL_USER");
    },
  },
  {
    row: "T04",
    title: "a second server is added beside the first, and the printed columns agree",
    async run(context) {
      await context.createReady("db");
      const [first] = await context.pods("db");
      await context.change("db", { size: 2 });
      await context.settled("db");
      const pods = await context.pods("db");
      expect(pods.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
      expect(pods[0]?.metadata.uid).toBe(first?.metadata.uid);
      expect((await context.status("db")).readyReplicas).toBe(2);
      expect(await printed(context, "db")).toMatchObject({ Size: 2, Ready: 2, Available: "True" });
    },
  },
  {
    row: "T05",
    title: "the scale subresource scales, and reports the replicas",
    async run(context) {
      await context.createReady("db");
      const { metadata } = await context.get("db");
      const scale = context.client.subresource<Scale>(Maria, context.key("db"), "scale");
      await scale.patch({ merge: { spec: { replicas: 3 } } });
      const scaled = await context.get("db");
      expect(scaled.spec.size).toBe(3);
      expect(scaled.metadata.generation).toBe((metadata.generation ?? 0) + 1);
      await context.eventually(async () => expect((await context.statefulSet("db")).spec?.replicas).toBe(3));
      await context.settled("db");
      expect((await scale.get()).status).toEqual({
        replicas: 3,
        selector:
          "app.kubernetes.io/name=maria,app.kubernetes.io/instance=db,app.kubernetes.io/component=server",
      });
    },
  },
  {
    row: "T07",
    title: "a new image is a single write to the StatefulSet, and Progressing until all servers have it",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const before = await context.statefulSet("db");
      const seen = new Set<string>();
      const sent = context.writes().length;
      // A server that doesn't become ready pauses the rollout, so that it can be observed.
      context.decidePods((name, pod) =>
        name === "db-1" && pod.spec?.containers[0]?.image === "mariadb:11.4" ? "unready" : undefined,
      );
      const { metadata } = await context.change("db", { image: "mariadb:11.4" });
      await context.until("db", "Progressing", "RollingUpdate");
      context.decidePods((name) => void seen.add(name));
      await context.settled("db");
      expect((await context.status("db")).observedGeneration).toBe(metadata.generation);
      expect((await context.status("db")).updatedReplicas).toBe(2);
      const written = context
        .writes()
        .slice(sent)
        .filter(({ path }) => path.includes("/statefulsets/"));
      expect(written).toHaveLength(1);
      const after = await context.statefulSet("db");
      expect(JSON.stringify(after.spec).replaceAll("mariadb:11.4", "mariadb:10.11")).toBe(
        JSON.stringify(before.spec),
      );
    },
  },
  {
    row: "T08",
    title: "servers are replaced replicas first, and a bad image stops at one server",
    async run(context) {
      await context.createReady("db", { size: 3 });
      const claims = async () =>
        (await context.client.list(PersistentVolumeClaim, { namespace: context.namespace })).map(
          ({ metadata }) => metadata.uid,
        );
      const volumes = await claims();
      const order: string[] = [];
      context.decidePods((name, pod) => {
        if (pod.spec?.containers[0]?.image === "mariadb:none") return "no-image";
        if (pod.spec?.containers[0]?.image === "mariadb:11.4" && !order.includes(name)) order.push(name);
        return undefined;
      });
      await context.change("db", { image: "mariadb:11.4" });
      await context.settled("db");
      expect(order).toEqual(["db-2", "db-1", "db-0"]);
      expect(await claims()).toEqual(volumes);

      const { lastTransitionTime } = (await context.condition("db", "Available"))!;
      await context.change("db", { image: "mariadb:none" });
      await context.until("db", "Degraded", "ReplicaNotReady");
      await context.wait(2000);
      const pods = await context.pods("db");
      expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Pending"]);
      await context.change("db", { image: "mariadb:11.4" });
      await context.settled("db");
      await context.until("db", "Degraded", "AsExpected");
      expect(await context.condition("db", "Available")).toMatchObject({
        status: "True",
        lastTransitionTime,
      });
    },
  },
  {
    row: "T09",
    title: "children that were deleted by hand are created again with the same spec",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const kept = async () => [
        (await context.find(Secret, "db-credentials"))?.metadata.resourceVersion,
        (await context.find(Secret, "db-config"))?.data,
        (await context.client.list(PersistentVolumeClaim, { namespace: context.namespace })).map(
          ({ metadata }) => metadata.uid,
        ),
      ];
      const before = await kept();
      const children: [Kind<KubernetesObject, NamespacedName>, string][] = [
        [Service, "db"],
        [Service, "db-read"],
        [Service, "db-headless"],
        [PodDisruptionBudget, "db"],
        [Secret, "db-config"],
        [StatefulSet, "db"],
      ];
      for (const [kind, name] of children) {
        const old = await context.find(kind, name);
        await context.client.delete(kind, context.key(name), { propagationPolicy: "Background" });
        await context.eventually(async () => {
          const found = await context.find(kind, name);
          expect(found?.metadata.uid).not.toBe(old?.metadata.uid);
          expect(found).toHaveProperty("metadata.ownerReferences.0.name", "db");
        });
      }
      await context.settled("db");
      expect(await kept()).toEqual(before);
    },
  },
  {
    row: "T11",
    title: "fields and annotations of others stay, and nobody fights over them",
    async run(context) {
      await context.createReady("db");
      const merge = { metadata: { annotations: { note: "mine" }, labels: { team: "shop" } } };
      await context.client.patch(StatefulSet, context.key("db"), { merge });
      await context.client.patch(Service, context.key("db"), { merge });
      await context.client.patch(Maria, context.key("db"), {
        merge: { metadata: { annotations: { a: "b" } } },
      });
      await context.quiet();
      expect((await context.statefulSet("db")).metadata.annotations).toMatchObject({ note: "mine" });
      expect((await context.find(Service, "db"))?.metadata.labels).toMatchObject({ team: "shop" });
    },
  },
  {
    row: "T34",
    title:
      "a schedule becomes a CronJob, is suspended, changed in place and removed; a bad one is reported once",
    async run(context) {
      await context.createReady("db", { database: "shop", backupSchedule: "0 3 * * *" });
      const made = (await context.find(CronJob, "db-backup"))!;
      expect(made.spec).toMatchObject({ schedule: "0 3 * * *", suspend: false });
      await context.until("db", "BackupReady", "Scheduled");

      await context.change("db", { backup: { suspend: true } });
      await context.until("db", "BackupReady", "Suspended");
      expect((await context.find(CronJob, "db-backup"))?.spec?.suspend).toBe(true);

      await context.change("db", { backup: { suspend: false }, backupSchedule: "30 4 * * *" });
      await context.until("db", "BackupReady", "Scheduled");
      const changed = (await context.find(CronJob, "db-backup"))!;
      expect(changed.spec).toMatchObject({ schedule: "30 4 * * *", suspend: false });
      expect(changed.metadata.uid).toBe(made.metadata.uid);

      await context.change("db", { backupSchedule: "99 3 * * *" });
      expect(await context.until("db", "BackupReady", "InvalidSchedule")).toMatchObject({ status: "False" });
      expect(await context.condition("db", "Degraded")).toMatchObject({ status: "False" });
      const sent = context.writes().length;
      await context.wait(3000);
      expect(context.writes().length - sent).toBeLessThanOrEqual(1);

      await context.change("db", { backupSchedule: null });
      await context.eventually(async () => expect(await context.find(CronJob, "db-backup")).toBeUndefined());
      expect(await context.find(PersistentVolumeClaim, "db-backup")).toBeDefined();
      // The status is written after the CronJob was deleted.
      await context.eventually(async () =>
        expect(await context.condition("db", "BackupReady")).toBeUndefined(),
      );
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

async function namesOf(context: ScenarioContext, kind: Kind): Promise<Set<string | undefined>> {
  const objects = await context.client.list(kind, { namespace: context.namespace });
  return new Set(objects.map(({ metadata }) => metadata.name));
}

/** The columns that kubectl would print. */
async function printed(context: ScenarioContext, name: string): Promise<Record<string, unknown>> {
  const { text } = await context.client.request({
    path: `/apis/data.example.com/v1/namespaces/${context.namespace}/maria/${name}`,
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  });
  const { columnDefinitions, rows } = JSON.parse(text) as Table;
  return Object.fromEntries(columnDefinitions.map(({ name: column }, at) => [column, rows[0]?.cells[at]]));
}
