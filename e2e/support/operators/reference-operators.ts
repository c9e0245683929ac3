import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { type Client, createClient, type Kind, type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { Deployment, StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { installOperator, type RunningOperator } from "./operator-process.ts";
import { repository } from "../source-imports.ts";

/** A cluster with Kubernetes' controllers, and something that reports pods as running. */
export interface ClusterWithControllers {
  /** An administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** Its clock, if a test moves it. */
  readonly clock?: FakeClock;
  stop(): Promise<void>;
}

interface WithStatus extends KubernetesObject {
  readonly status?: {
    readonly readyReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

const namespace = "default";

/**
 * Runs a reference operator as a separate process, with the token of its ServiceAccount and exactly the generated
 * permissions, and checks the promises of its README.
 */
export function referenceOperatorSuite(where: string, start: () => Promise<ClusterWithControllers>): void {
  describe(`the reference operators on ${where}`, () => {
    let cluster: ClusterWithControllers;
    let client: Client;
    let folder: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "reference-"));
      cluster = await start();
      client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
    });

    afterAll(async () => {
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test("MySQL says what its servers lack, scales, recreates deleted children, and deletes them", async () => {
      const operator = await startOperator(client, cluster.kubeconfig, folder, "maria-operator");
      const kind = await client.mapper.kindFor({ apiVersion: "data.example.com/v1", kind: "Maria" });
      const key = { namespace, name: "db" };
      const spec = { size: 1, deletionPolicy: "Delete", backupSchedule: "0 3 * * *" };
      await client.create(kind, { metadata: key, spec });
      // Nothing answers at the pods' addresses.
      await eventually(async () => {
        const { status } = (await client.get(kind, key)) as WithStatus;
        expect(status?.conditions).toContainEqual(
          expect.objectContaining({ type: "Available", status: "False", reason: "Starting" }),
        );
      }, operator.watch);
      await client.patch(kind, key, { merge: { spec: { size: 2 } } });
      await eventually(async () => {
        const pods = await podsOf(client, "db");
        expect(pods.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
      }, operator.watch);

      const service = await client.get(Service, key);
      await client.delete(Service, key);
      await eventually(async () => {
        expect((await client.get(Service, key)).metadata.uid).not.toBe(service.metadata.uid);
      }, operator.watch);

      await client.delete(kind, key, { propagationPolicy: "Background" });
      await eventually(async () => {
        expect(await client.find(StatefulSet, key)).toBeUndefined();
        expect(await client.find(Service, key)).toBeUndefined();
        expect(await client.find(Secret, { namespace, name: "db-credentials" })).toBeUndefined();
        const claims = await client.list(PersistentVolumeClaim, { namespace });
        const left = claims.filter(({ metadata }) => !metadata.deletionTimestamp);
        // Backups are kept.
        expect(left.map(({ metadata }) => metadata.name)).toEqual(["db-backup"]);
      }, operator.watch);
      await operator.stop();
      expect(operator.refused()).toEqual([]);
    });

    test("AppService runs, follows its spec, and writes nothing when nothing changes", async () => {
      const operator = await startOperator(client, cluster.kubeconfig, folder, "app-operator");
      const kind = await client.mapper.kindFor(appService);
      const key = { namespace, name: "web" };
      const spec = {
        image: "nginx:alpine",
        replicas: 2,
        ports: [{ port: 80, targetPort: 80, nodePort: 30002 }],
      };
      await client.create(kind, { metadata: key, spec });
      await eventually(
        async () => expect(await conditionOf(client, kind, key, "Available")).toBe("True"),
        operator.watch,
      );
      const before = await podsOf(client, "web");

      await client.patch(kind, key, { merge: { spec: { replicas: 5 } } });
      await eventually(async () => {
        expect(((await client.get(kind, key)) as WithStatus).status?.readyReplicas).toBe(5);
      }, operator.watch);
      const uids = (await podsOf(client, "web")).map(({ metadata }) => metadata.uid);
      for (const { metadata } of before) expect(uids).toContain(metadata.uid);

      await eventually(
        async () => expect(await conditionOf(client, kind, key, "Progressing")).toBe("False"),
        operator.watch,
      );
      await atRest(operator);
      const versions = () => versionsOf(client, [kind, Service], key);
      const [quiet, passes] = [await versions(), await reconciles(operator)];
      // A change of a child that doesn't concern the operator triggers a reconcile that changes nothing.
      const labels = { "example.com/team": "shop" };
      const labelled = await client.patch(Deployment, key, { merge: { metadata: { labels } } });
      await eventually(
        async () => expect(await reconciles(operator)).toBeGreaterThan(passes),
        operator.watch,
      );
      await atRest(operator);
      expect(await versions()).toEqual(quiet);
      expect(await versionsOf(client, [Deployment], key)).toEqual([labelled.metadata.resourceVersion]);

      await client.delete(kind, key, { propagationPolicy: "Background" });
      await eventually(async () => {
        expect(await client.find(Deployment, key)).toBeUndefined();
        expect(await client.find(Service, key)).toBeUndefined();
      }, operator.watch);
      await operator.stop();
      expect(operator.refused()).toEqual([]);
    });
  });
}

function reconciles(operator: RunningOperator): Promise<number> {
  return operator.metric("controller_runtime_reconcile_total", 'controller="appservice"');
}

/** Waits until the operator's queues are empty and no reconcile is running. */
async function atRest(operator: RunningOperator): Promise<void> {
  await eventually(async () => {
    expect(await operator.metric("workqueue_depth")).toBe(0);
    expect(await operator.metric("controller_runtime_active_workers")).toBe(0);
  }, operator.watch);
}

const appService = { apiVersion: "apps.example.com/v1", kind: "AppService" };

async function startOperator(
  client: Client,
  kubeconfig: string,
  folder: string,
  name: string,
): Promise<RunningOperator> {
  const project = join(repository, "e2e/golden", name);
  const operator = await installOperator({ client, kubeconfig, folder, project });
  return operator.start({ flags: ["--leader-elect", "--leader-election-namespace=operator-system"] });
}

async function conditionOf(
  client: Client,
  kind: Kind,
  key: { namespace: string; name: string },
  type: string,
): Promise<string | undefined> {
  const { status } = (await client.get(kind, key)) as WithStatus;
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

async function podsOf(client: Client, instance: string): Promise<Pod[]> {
  const pods = await client.list(Pod, { namespace, labels: { "app.kubernetes.io/instance": instance } });
  return pods.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

async function versionsOf(
  client: Client,
  kinds: readonly Kind[],
  key: { namespace: string; name: string },
): Promise<(string | undefined)[]> {
  const objects = await Promise.all(kinds.map((kind) => client.get(kind, key)));
  return objects.map(({ metadata }) => metadata.resourceVersion);
}
