import { randomInt } from "node:crypto";
import type { Kind } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { Maria, type MariaSpec } from "../../../golden/maria-operator/api/v1/maria_types.ts";
import { isWatch, type PassedRequest } from "../api-gateway.ts";
import type { RunningOperator } from "../operator-process.ts";
import { scopedScenario } from "./scope.ts";
import type { ScenarioContext } from "./context.ts";

/** A scenario that starts and stops the operator: no other scenario runs at the same time. */
export interface RestartScenario {
  readonly row: string;
  readonly title: string;
  readonly run: (context: ScenarioContext, operator: OperatorControl) => Promise<void>;
  /** True if it kills the operator, which then must be a separate process. */
  readonly kills?: boolean;
}

/** How such a scenario starts the operator. */
export interface OperatorControl {
  readonly kubeconfig: string;
  readonly folder: string;
  /** Starts the operator; the scenario stops it before it starts another, and at its end. */
  readonly start: () => Promise<RunningOperator>;
}

/** Changes while the operator is stopped, its start, and its death. */
export const restartScenarios: readonly RestartScenario[] = [
  {
    row: "T17c",
    title:
      "a MySQL that is deleted while it is stopped is finalized when it is back, and nothing is created again",
    async run(context, { start }) {
      const first = await start();
      const spec: MariaSpec = { size: 2, backupSchedule: "@daily" };
      await context.createReady("kept", spec);
      await context.createReady("taken", { ...spec, deletionPolicy: "Delete" });
      await context.createReady("stripped", spec);
      expect(await first.stop()).toBe(0);
      for (const name of ["kept", "taken", "stripped"]) await context.client.delete(Maria, context.key(name));
      await context.client.patch(Maria, context.key("stripped"), {
        merge: { metadata: { finalizers: null } },
      });
      await context.eventually(async () =>
        expect(await context.find(StatefulSet, "stripped")).toBeUndefined(),
      );

      const sent = context.writes().length;
      const second = await start();
      await context.eventually(async () => {
        expect(await context.client.list(Maria, { namespace: context.namespace })).toEqual([]);
        expect(await context.client.list(StatefulSet, { namespace: context.namespace })).toEqual([]);
      });
      await idle(context, second);
      const claims = await context.client.list(PersistentVolumeClaim, { namespace: context.namespace });
      const left = claims.map(({ metadata }) => metadata.name.replace(/-\d$|^data-/g, ""));
      expect(new Set(left)).toEqual(
        new Set(["kept", "kept-backup", "taken-backup", "stripped", "stripped-backup"]),
      );
      expect(await context.find(Secret, "kept-credentials")).toBeDefined();
      expect(await context.find(Secret, "taken-credentials")).toBeUndefined();
      const made = context.writes().slice(sent).filter(makes);
      expect(made).toEqual([]);
      expect(second.lines.filter(({ level }) => level === "error")).toEqual([]);
      await second.stop();
    },
  },
  {
    row: "T28",
    title: "a cold start with 60 reconciled MySQLs sends no write, and one list for each kind",
    async run(context, { start }) {
      const names = Array.from({ length: 60 }, (_, at) => `db-${at}`);
      const first = await start();
      await Promise.all(names.map((name) => context.create(name, { size: 0 })));
      for (const name of names) await context.until(name, "Available", "Stopped");
      await idle(context, first);
      await first.stop();
      const from = context.environment.gateway.requests.length;
      const second = await start();
      await context.eventually(async () => {
        expect(await second.metric("controller_runtime_reconcile_total")).toBeGreaterThanOrEqual(
          names.length,
        );
      });
      await idle(context, second);
      await second.stop();
      const requests = context.environment.gateway.requests.slice(from);
      // Other scenarios left objects behind that are not reconciled.
      const ours = requests.filter(({ path }) => path.includes(`/namespaces/${context.namespace}/`));
      expect(ours.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      for (const { plural } of watched) {
        const own = requests.filter(isOfAll(plural));
        const counted = { watches: own.filter(isWatch).length, lists: own.filter(isList).length };
        // It watches only the metadata of Secrets of other owners.
        const once = plural === "secrets" ? 2 : 1;
        expect({ plural, ...counted }).toEqual({ plural, watches: once, lists: once });
      }
    },
  },
  {
    row: "T30",
    title: "with the API server down for 20 s, and a watch expired, it stays up and catches up",
    async run(context, { start }) {
      const operator = await start();
      const { gateway } = context.environment;
      await context.createReady("db");
      const { uid } = (await context.find(Service, "db"))!.metadata;
      const cutAt = gateway.requests.length;
      gateway.cut();
      await context.client.delete(Service, context.key("db"));
      await context.change("db", { size: 2 });
      await context.wait(20_000);
      const attempts = gateway.requests.slice(cutAt);
      gateway.mend();
      expect(operator.isRunning).toBe(true);
      for (const { plural } of watched) {
        const own = attempts.filter(isOfAll(plural));
        expect(own.length, `attempts for ${plural}`).toBeGreaterThan(1);
        expect(own.length, `attempts for ${plural}`).toBeLessThan(15);
      }
      await context.settled("db");
      expect((await context.status("db")).readyReplicas).toBe(2);
      expect((await context.find(Service, "db"))?.metadata.uid).not.toBe(uid);

      gateway.expireWatches("statefulsets");
      await context.eventually(() => {
        expect(
          gateway.requests.some(({ path, status }) => path.endsWith("/statefulsets") && status === 410),
        ).toBe(true);
      });
      await context.client.delete(StatefulSet, context.key("db"), { propagationPolicy: "Background" });
      await context.eventually(async () => expect(await context.find(StatefulSet, "db")).toBeDefined());
      await context.settled("db");
      expect(operator.isRunning).toBe(true);
      await operator.stop();
    },
  },
  scopedScenario,
  {
    row: "D12",
    title: "killed again and again during changes, it reaches the same state in the end",
    kills: true,
    async run(context, { start }) {
      let operator = await start();
      await context.createReady("db", { backupSchedule: "@daily", storage: { className: "test-growing" } });
      const passwords = (await context.find(Secret, "db-credentials"))?.data;
      const done: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const [name, disturb] = disturbances[randomInt(disturbances.length)]!;
        const pause = randomInt(400);
        done.push(`${name}, killed after ${pause} ms`);
        await disturb(context);
        await context.wait(pause);
        await operator.kill();
        operator = await start();
      }
      console.log(`killed in the middle: ${done.join("; ")}`);
      const size = 2;
      await context.change("db", { size, image: "mariadb:11.4", backupSchedule: "0 5 * * *" });
      await context.settled("db");
      const { spec } = await context.statefulSet("db");
      const { metadata, spec: wanted } = await context.get("db");
      expect(spec?.replicas).toBe(size);
      expect(spec?.template.spec?.containers[0]?.image).toBe("mariadb:11.4");
      expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]).toBe(
        wanted.storage?.size,
      );
      expect((await context.find(CronJob, "db-backup"))?.spec?.schedule).toBe("0 5 * * *");
      expect((await context.find(Secret, "db-credentials"))?.data).toEqual(passwords);
      expect(await context.find(PodDisruptionBudget, "db")).toBeDefined();
      expect(metadata.finalizers).toHaveLength(1);
      await context.until("db", "Degraded", "AsExpected");
      for (const {
        spec: claim,
        metadata: { name },
      } of await context.client.list(PersistentVolumeClaim, {
        namespace: context.namespace,
        labels: { "app.kubernetes.io/component": "server" },
      })) {
        expect([name, claim?.resources?.requests?.["storage"]]).toEqual([name, wanted.storage?.size]);
      }
      await context.client.delete(Maria, context.key("db"));
      await context.wait(randomInt(200));
      await operator.kill();
      operator = await start();
      await context.eventually(async () => expect(await context.find(Maria, "db")).toBeUndefined());
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

/** The changes that users and controllers make to a MySQL. */
const disturbances: readonly (readonly [string, (context: ScenarioContext) => Promise<unknown>])[] = [
  ["scaled up", (context) => context.change("db", { size: 3 })],
  ["scaled down", (context) => context.change("db", { size: 1 })],
  ["stopped", (context) => context.change("db", { size: 0 })],
  ["another image", (context) => context.change("db", { image: `mariadb:10.${randomInt(9)}` })],
  ["a bad image", (context) => context.change("db", { image: "mariadb:none" })],
  ["other settings", (context) => context.change("db", { config: { max_connections: `${randomInt(99)}` } })],
  ["no schedule", (context) => context.change("db", { backupSchedule: null })],
  ["a schedule", (context) => context.change("db", { backupSchedule: "@hourly" })],
  [
    "larger volumes",
    async (context) => {
      const { size } = (await context.get("db")).spec.storage ?? {};
      await context.change("db", { storage: { size: `${Number.parseInt(String(size), 10) + 1}Gi` } });
    },
  ],
  [
    "the StatefulSet deleted",
    (context) => context.client.delete(StatefulSet, context.key("db"), { propagationPolicy: "Background" }),
  ],
  ["the passwords deleted", (context) => deleteCopy(context, "db-credentials", "db-config")],
  ["the configuration deleted", (context) => deleteCopy(context, "db-config", "db-credentials")],
];

/** Both Secrets have the passwords, and who deletes both before one is made again loses them. */
async function deleteCopy(context: ScenarioContext, name: string, other: string): Promise<void> {
  await context.eventually(async () => expect(await context.find(Secret, other)).toBeDefined());
  await context.client.delete(Secret, context.key(name));
}

function makes({ method, path }: PassedRequest): boolean {
  return (method === "POST" || method === "PATCH") && /statefulsets|services|cronjobs/.test(path);
}

/** A server with streaming lists sends the list through the watch; then no list request is sent. */
/** A request for all objects of a kind; an object with a finalizer is read once by a list of one. */
const isOfAll =
  (plural: string) =>
  ({ path, query }: PassedRequest): boolean =>
    path.endsWith(`/${plural}`) && !query.has("fieldSelector");

function isList(request: PassedRequest): boolean {
  return !isWatch(request) || request.query.get("sendInitialEvents") === "true";
}

/** Waits until the operator is idle. */
async function idle(context: ScenarioContext, operator: RunningOperator): Promise<void> {
  await context.eventually(async () => {
    const before = await operator.metric("controller_runtime_reconcile_total");
    await context.wait(1000);
    const passes = await operator.metric("controller_runtime_reconcile_total");
    const depth = await operator.metric("workqueue_depth");
    expect({ depth, passes }).toEqual({ depth: 0, passes: before });
  });
}
