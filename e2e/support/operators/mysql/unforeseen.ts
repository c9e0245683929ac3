import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob } from "@tsbuilder/runtime/k8s/batch/v1";
import { ConfigMap, PersistentVolumeClaim, type Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { parse } from "yaml";
import { Maria } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import { repository } from "../../source-imports.ts";
import type { Scenario } from "./scenarios.ts";
import type { ScenarioContext } from "./context.ts";

/** Unusual use: concurrent changes, edits by hand, objects that others change too. */
export const unforeseen: readonly Scenario[] = [
  {
    row: "V01",
    title: "the sample is accepted as it is, and works",
    async run(context) {
      const text = readFileSync(join(project, "config/samples/data_v1_maria.yaml"), "utf8");
      const sample = parse(text) as Maria;
      const { name = "" } = sample.metadata;
      await context.create(name, sample.spec);
      await context.settled(name);
      const pods = await context.pods(name);
      const image = "mariadb:10.11";
      expect(pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual([image, image]);
    },
  },
  {
    row: "V02",
    title: "five servers, one, and five again: the old volumes are used again",
    async run(context) {
      await context.createReady("db", { size: 5 });
      const before = await claims(context);
      expect(before).toHaveLength(5);
      for (const size of [1, 5]) {
        await context.change("db", { size });
        await context.settled("db");
        await context.eventually(async () => expect(await context.pods("db")).toHaveLength(size));
        expect(await claims(context)).toEqual(before);
        expect((await context.find(PodDisruptionBudget, "db")) !== undefined).toBe(size > 1);
      }
      expect((await context.status("db")).readyReplicas).toBe(5);
    },
  },
  {
    row: "V03",
    title: "scaled in the middle of a rollout, all servers have the new image in the end",
    async run(context) {
      await context.createReady("db", { size: 2 });
      context.decidePods((name, pod) =>
        name === "db-1" && imageOf(pod) === "mariadb:11.4" ? "unready" : undefined,
      );
      await context.change("db", { image: "mariadb:11.4" });
      await context.until("db", "Progressing", "RollingUpdate");
      await context.change("db", { size: 3 });
      await context.eventually(async () => expect((await context.statefulSet("db")).spec?.replicas).toBe(3));
      expect(await context.condition("db", "Available")).toMatchObject({ status: "True" });
      await context.change("db", { size: 1 });
      await context.change("db", { size: 3 });
      context.decidePods(() => undefined);
      await context.settled("db");
      const pods = await context.pods("db");
      expect(pods.map(imageOf)).toEqual(["mariadb:11.4", "mariadb:11.4", "mariadb:11.4"]);
      expect(await context.status("db")).toMatchObject({ readyReplicas: 3, updatedReplicas: 3 });
    },
  },
  {
    row: "V08",
    title: "paused, nothing is repaired; deletion while paused still works",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      await context.change("db", { paused: true });
      await context.until("db", "Paused", "Paused");
      const sent = context.writes().length;
      await context.client.delete(Service, context.key("db-read"));
      await context.change("db", { size: 3, image: "mariadb:11.4" });
      await context.wait(3000);
      const written = context.writes().slice(sent);
      expect(written.filter(({ path }) => !path.endsWith("/status"))).toEqual([]);
      await context.client.delete(Maria, context.key("db"));
      await context.eventually(async () => expect(await context.find(Maria, "db")).toBeUndefined());
      const kept = await context.find(PersistentVolumeClaim, "db-backup");
      expect(kept?.metadata.labels).toMatchObject({ "data.example.com/retained": "true" });
    },
  },
  {
    row: "V09",
    title: "created, deleted and created again at once, the last one runs with the data of the first",
    async run(context) {
      await context.createReady("db", { size: 2 });
      const [passwords, volumes] = [await passwordsOf(context), await claims(context)];
      for (let round = 0; round < 4; round += 1) {
        await context.client.delete(Maria, context.key("db"));
        await context.eventually(() =>
          context.create("db", { size: 2, config: { max_connections: `${50 + round}` } }),
        );
      }
      const { metadata } = await context.settled("db");
      await context.until("db", "Degraded", "AsExpected");
      const children = await Promise.all(
        [StatefulSet, Service, PodDisruptionBudget].map((kind) => context.find<KubernetesObject>(kind, "db")),
      );
      for (const child of children)
        expect(child).toHaveProperty("metadata.ownerReferences.0.uid", metadata.uid);
      expect(await context.file("db", "my.cnf")).toContain("max_connections=53");
      expect([await passwordsOf(context), await claims(context)]).toEqual([passwords, volumes]);
    },
  },
  {
    row: "V10",
    title: "deleted with orphaned children, a new one of the same name takes them over, and no server stops",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      const uids = async () => (await context.pods("db")).map(({ metadata }) => metadata.uid);
      const before = await uids();
      await context.client.delete(Maria, context.key("db"), { propagationPolicy: "Orphan" });
      await context.eventually(async () => expect(await context.find(Maria, "db")).toBeUndefined());
      const { metadata } = await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      await context.until("db", "Degraded", "AsExpected");
      expect(await uids()).toEqual(before);
      const { ownerReferences } = (await context.statefulSet("db")).metadata;
      expect(ownerReferences).toMatchObject([{ uid: metadata.uid }]);
    },
  },
  {
    row: "V11",
    title: "one with other owners and finalizers is finalized once, when the other finalizers are gone",
    async run(context) {
      const owner = await context.client.create(ConfigMap, { metadata: context.key("platform") });
      const metadata = { ...context.key("db"), finalizers: ["example.com/hold"] };
      await context.client.create(Maria, { metadata, spec: {} }, { owner });
      const { metadata: seen } = await context.settled("db");
      expect(seen.finalizers).toEqual(["example.com/hold", "data.example.com/mysql"]);
      expect(seen.ownerReferences).toMatchObject([{ name: "platform" }]);
      await context.client.delete(Maria, context.key("db"));
      await context.eventually(async () => {
        expect((await context.get("db")).metadata.finalizers).toEqual(["example.com/hold"]);
      });
      const sent = context.writes().length;
      await context.client.delete(Service, context.key("db"));
      await context.wait(2000);
      expect(context.writes().slice(sent)).toEqual([]);
      await context.client.patch(Maria, context.key("db"), { merge: { metadata: { finalizers: null } } });
      await context.eventually(async () => expect(await context.find(StatefulSet, "db")).toBeUndefined());
      await context.eventually(async () => expect(await context.events("db", "Retained")).toHaveLength(1));
    },
  },
  {
    row: "V12",
    title: "an immutable Secret is reported, and deleting it is enough",
    async run(context) {
      await context.createReady("db");
      await context.client.patch(Secret, context.key("db-config"), { merge: { immutable: true } });
      await context.change("db", { config: { max_connections: "77" } });
      const { message } = await context.until("db", "Degraded", "ChildRejected");
      expect(message).toContain("immutable");
      await context.client.delete(Secret, context.key("db-config"));
      await context.until("db", "Degraded", "AsExpected");
      await context.settled("db");
      // The status may be that of before the deletion.
      await context.eventually(async () =>
        expect(await context.file("db", "my.cnf")).toContain("max_connections=77"),
      );
    },
  },
  {
    row: "V13",
    title: "after 200 edits in a row the last one holds, and passwords stay",
    async run(context) {
      await context.createReady("db", { size: 1 });
      const passwords = await passwordsOf(context);
      for (let at = 1; at <= 200; at += 1) {
        const config = { max_connections: `${50 + at}` };
        const backupSchedule = at % 5 === 0 ? null : `${at % 60} 3 * * *`;
        await context.change("db", { size: 1 + (at % 3), config, backupSchedule });
      }
      await context.settled("db");
      await context.until("db", "Degraded", "AsExpected");
      expect((await context.statefulSet("db")).spec?.replicas).toBe(3);
      expect(await context.file("db", "my.cnf")).toContain("max_connections=250");
      expect(await context.find(CronJob, "db-backup")).toBeUndefined();
      expect(await passwordsOf(context)).toEqual(passwords);
    },
  },
  {
    row: "V14",
    title: "a PodDisruptionBudget and a CronJob that were edited by hand are restored",
    async run(context) {
      await context.createReady("db", { size: 2, backupSchedule: "@daily" });
      const merge = { spec: { maxUnavailable: null, minAvailable: 2 } };
      await context.client.patch(PodDisruptionBudget, context.key("db"), { merge });
      await context.client.patch(CronJob, context.key("db-backup"), {
        merge: { spec: { schedule: "* * * * *", suspend: true, concurrencyPolicy: "Allow" } },
      });
      await context.eventually(async () => {
        expect((await context.find(PodDisruptionBudget, "db"))?.spec).toMatchObject({ maxUnavailable: 1 });
        const { spec } = (await context.find(CronJob, "db-backup"))!;
        expect(spec).toMatchObject({ schedule: "@daily", suspend: false, concurrencyPolicy: "Forbid" });
      });
      await context.until("db", "Degraded", "AsExpected");
    },
  },
  {
    row: "V15",
    title: "what happens again is counted in its event, and not told by another one",
    async run(context) {
      const expectTold = async (count: number | undefined) => {
        const events = await context.events("db", "InlinePassword");
        expect(events.map(({ series }) => series?.count)).toEqual([count]);
      };
      await context.createReady("db", { password: "first" });
      await context.eventually(() => expectTold(undefined));
      await context.change("db", { password: null });
      await context.eventually(async () =>
        expect(await context.condition("db", "InlinePassword")).toBeUndefined(),
      );
      await context.change("db", { password: "first" });
      await context.eventually(() => expectTold(2));
    },
  },
];

const project = join(repository, "e2e/golden/maria-operator");

function imageOf({ spec }: Pod): string | undefined {
  return spec?.containers[0]?.image;
}

async function claims(context: ScenarioContext): Promise<unknown[]> {
  const list = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
  return list.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

async function passwordsOf(context: ScenarioContext): Promise<unknown> {
  return (await context.find(Secret, "db-credentials"))?.data;
}
