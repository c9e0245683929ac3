import { randomInt } from "node:crypto";
import type { Kind } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { Maria, type MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { isWatch, type PassedRequest } from "../api-gateway.ts";
import type { RunningOperator } from "../operator-process.ts";
import { scopedLife } from "./scope.ts";
import type { Stage } from "./stage.ts";

/** A scenario that starts and ends the operator itself: no other is played meanwhile. */
export interface Life {
  readonly row: string;
  readonly title: string;
  readonly play: (stage: Stage, operator: Lives) => Promise<void>;
  /** Whether it kills the operator without a warning, for which that has to be a process of its own. */
  readonly kills?: boolean;
}

/** How a life begins. */
export interface Lives {
  readonly kubeconfig: string;
  readonly folder: string;
  /** Starts the operator; before a life ends it has to be ended. */
  readonly start: () => Promise<RunningOperator>;
}

/** What happens between two lives of the operator, and at the end of one. */
export const lives: readonly Life[] = [
  {
    row: "T17c",
    title: "what is deleted while it is stopped is ended when it is back, and nothing is made again",
    async play(stage, { start }) {
      const first = await start();
      const spec: MariaSpec = { size: 2, backupSchedule: "@daily" };
      await stage.createReady("kept", spec);
      await stage.createReady("taken", { ...spec, deletionPolicy: "Delete" });
      await stage.createReady("stripped", spec);
      expect(await first.stop()).toBe(0);
      for (const name of ["kept", "taken", "stripped"]) await stage.client.delete(Maria, stage.key(name));
      await stage.client.patch(Maria, stage.key("stripped"), { merge: { metadata: { finalizers: null } } });
      await stage.eventually(async () => expect(await stage.find(StatefulSet, "stripped")).toBeUndefined());

      const sent = stage.writes().length;
      const second = await start();
      await stage.eventually(async () => {
        expect(await stage.client.list(Maria, { namespace: stage.namespace })).toEqual([]);
        expect(await stage.client.list(StatefulSet, { namespace: stage.namespace })).toEqual([]);
      });
      await idle(stage, second);
      const claims = await stage.client.list(PersistentVolumeClaim, { namespace: stage.namespace });
      const left = claims.map(({ metadata }) => metadata.name!.replace(/-\d$|^data-/g, ""));
      expect(new Set(left)).toEqual(
        new Set(["kept", "kept-backup", "taken-backup", "stripped", "stripped-backup"]),
      );
      expect(await stage.find(Secret, "kept-credentials")).toBeDefined();
      expect(await stage.find(Secret, "taken-credentials")).toBeUndefined();
      const made = stage.writes().slice(sent).filter(makes);
      expect(made).toEqual([]);
      expect(second.lines.filter(({ level }) => level === "error")).toEqual([]);
      await second.stop();
    },
  },
  {
    row: "T28",
    title: "60 that are as they should be cost no write at a cold start, and one list of each kind",
    async play(stage, { start }) {
      const names = Array.from({ length: 60 }, (_, at) => `db-${at}`);
      const first = await start();
      await Promise.all(names.map((name) => stage.create(name, { size: 0 })));
      for (const name of names) await stage.until(name, "Available", "Stopped");
      await idle(stage, first);
      await first.stop();
      const from = stage.theatre.gateway.requests.length;
      const second = await start();
      await stage.eventually(async () => {
        expect(await second.metric("controller_runtime_reconcile_total")).toBeGreaterThanOrEqual(
          names.length,
        );
      });
      await idle(stage, second);
      await second.stop();
      const requests = stage.theatre.gateway.requests.slice(from);
      // Other scenarios left objects behind that are not as they should be.
      const ours = requests.filter(({ path }) => path.includes(`/namespaces/${stage.namespace}/`));
      expect(ours.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      for (const { plural } of watched) {
        const own = requests.filter(({ path }) => path.endsWith(`/${plural}`));
        const counted = { watches: own.filter(isWatch).length, lists: own.filter(isList).length };
        expect({ plural, ...counted }).toEqual({ plural, watches: 1, lists: 1 });
      }
    },
  },
  {
    row: "T30",
    title: "with the API server away for 20 s, and a watch forgotten, it stays up and catches up",
    async play(stage, { start }) {
      const operator = await start();
      const { gateway } = stage.theatre;
      await stage.createReady("db");
      const { uid } = (await stage.find(Service, "db"))!.metadata;
      const cutAt = gateway.requests.length;
      gateway.cut();
      await stage.client.delete(Service, stage.key("db"));
      await stage.change("db", { size: 2 });
      await stage.wait(20_000);
      const attempts = gateway.requests.slice(cutAt);
      gateway.mend();
      expect(operator.isRunning).toBe(true);
      for (const { plural } of watched) {
        const own = attempts.filter(({ path }) => path.endsWith(`/${plural}`));
        expect(own.length, `attempts for ${plural}`).toBeGreaterThan(1);
        expect(own.length, `attempts for ${plural}`).toBeLessThan(15);
      }
      await stage.settled("db");
      expect((await stage.status("db")).readyReplicas).toBe(2);
      expect((await stage.find(Service, "db"))?.metadata.uid).not.toBe(uid);

      gateway.expireWatches("statefulsets");
      await stage.eventually(() => {
        expect(
          gateway.requests.some(({ path, status }) => path.endsWith("/statefulsets") && status === 410),
        ).toBe(true);
      });
      await stage.client.delete(StatefulSet, stage.key("db"), { propagationPolicy: "Background" });
      await stage.eventually(async () => expect(await stage.find(StatefulSet, "db")).toBeDefined());
      await stage.settled("db");
      expect(operator.isRunning).toBe(true);
      await operator.stop();
    },
  },
  scopedLife,
  {
    row: "D12",
    title: "killed again and again in the middle of changes, it ends where it would have ended",
    kills: true,
    async play(stage, { start }) {
      let operator = await start();
      await stage.createReady("db", { backupSchedule: "@daily", storage: { className: "test-growing" } });
      const passwords = (await stage.find(Secret, "db-credentials"))?.data;
      const done: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const [name, disturb] = disturbances[randomInt(disturbances.length)]!;
        const pause = randomInt(400);
        done.push(`${name}, killed after ${pause} ms`);
        await disturb(stage);
        await stage.wait(pause);
        await operator.kill();
        operator = await start();
      }
      console.log(`killed in the middle: ${done.join("; ")}`);
      const size = 2;
      await stage.change("db", { size, image: "mariadb:11.4", backupSchedule: "0 5 * * *" });
      await stage.settled("db");
      const { spec } = await stage.statefulSet("db");
      const { metadata, spec: wanted } = await stage.get("db");
      expect(spec?.replicas).toBe(size);
      expect(spec?.template.spec?.containers[0]?.image).toBe("mariadb:11.4");
      expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]).toBe(
        wanted.storage?.size,
      );
      expect((await stage.find(CronJob, "db-backup"))?.spec?.schedule).toBe("0 5 * * *");
      expect((await stage.find(Secret, "db-credentials"))?.data).toEqual(passwords);
      expect(await stage.find(PodDisruptionBudget, "db")).toBeDefined();
      expect(metadata.finalizers).toHaveLength(1);
      await stage.until("db", "Degraded", "AsExpected");
      for (const {
        spec: claim,
        metadata: { name },
      } of await stage.client.list(PersistentVolumeClaim, {
        namespace: stage.namespace,
        labels: { "app.kubernetes.io/component": "server" },
      })) {
        expect([name, claim?.resources?.requests?.["storage"]]).toEqual([name, wanted.storage?.size]);
      }
      await stage.client.delete(Maria, stage.key("db"));
      await stage.wait(randomInt(200));
      await operator.kill();
      operator = await start();
      await stage.eventually(async () => expect(await stage.find(Maria, "db")).toBeUndefined());
      expect(await operator.stop()).toBe(0);
    },
  },
];

const watched: readonly Kind[] = [
  Maria,
  StatefulSet,
  Service,
  Secret,
  PodDisruptionBudget,
  CronJob,
  Job,
  Pod,
  PersistentVolumeClaim,
];

/** What people and machines do to a MySQL. */
const disturbances: readonly (readonly [string, (stage: Stage) => Promise<unknown>])[] = [
  ["scaled up", (stage) => stage.change("db", { size: 3 })],
  ["scaled down", (stage) => stage.change("db", { size: 1 })],
  ["stopped", (stage) => stage.change("db", { size: 0 })],
  ["another image", (stage) => stage.change("db", { image: `mariadb:10.${randomInt(9)}` })],
  ["a bad image", (stage) => stage.change("db", { image: "mariadb:none" })],
  ["other settings", (stage) => stage.change("db", { config: { max_connections: `${randomInt(99)}` } })],
  ["no schedule", (stage) => stage.change("db", { backupSchedule: null })],
  ["a schedule", (stage) => stage.change("db", { backupSchedule: "@hourly" })],
  [
    "larger volumes",
    async (stage) => {
      const { size } = (await stage.get("db")).spec.storage ?? {};
      await stage.change("db", { storage: { size: `${Number.parseInt(String(size), 10) + 1}Gi` } });
    },
  ],
  [
    "the StatefulSet deleted",
    (stage) => stage.client.delete(StatefulSet, stage.key("db"), { propagationPolicy: "Background" }),
  ],
  ["the passwords deleted", (stage) => stage.client.delete(Secret, stage.key("db-credentials"))],
  ["the configuration deleted", (stage) => stage.client.delete(Secret, stage.key("db-config"))],
];

function makes({ method, path }: PassedRequest): boolean {
  return (method === "POST" || method === "PATCH") && /statefulsets|services|cronjobs/.test(path);
}

/** A server that can streams the list through the watch; then there is no request of its own for it. */
function isList(request: PassedRequest): boolean {
  return !isWatch(request) || request.query.get("sendInitialEvents") === "true";
}

/** Waits until the operator has nothing left to do. */
async function idle(stage: Stage, operator: RunningOperator): Promise<void> {
  await stage.eventually(async () => {
    const before = await operator.metric("controller_runtime_reconcile_total");
    await stage.wait(1000);
    const passes = await operator.metric("controller_runtime_reconcile_total");
    const depth = await operator.metric("workqueue_depth");
    expect({ depth, passes }).toEqual({ depth: 0, passes: before });
  });
}
