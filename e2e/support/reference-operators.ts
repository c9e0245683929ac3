import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, createClient, type Kind, type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { Deployment, StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyConfig } from "../../src/dev/apply-config.ts";
import { bundleOperator } from "../../src/ship/bundle.ts";
import { repository } from "./source-imports.ts";

/** A cluster with the controllers of a real one, where somebody says that pods run. */
export interface ClusterWithControllers {
  /** An administrator's kubeconfig file. */
  readonly kubeconfig: string;
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
const operatorNamespace = "operator-system";
const patient = { timeout: 60_000 };

/**
 * Runs a reference operator as a process of its own, with the token of its ServiceAccount and exactly the permissions
 * that were generated, and holds it to what its README promises.
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

    test("MySQL runs, scales, repairs itself and takes its data along", async () => {
      const operator = await startOperator(client, cluster.kubeconfig, folder, "maria-operator");
      const kind = await client.mapper.kindFor({ apiVersion: "data.example.com/v1", kind: "Maria" });
      const key = { namespace, name: "db" };
      const spec = { size: 1, deletionPolicy: "Delete", database: "shop", backupSchedule: "0 3 * * *" };
      await client.create(kind, { metadata: key, spec });
      await eventually(
        async () => expect(await conditionOf(client, kind, key, "Available")).toBe("True"),
        patient,
      );
      const [first] = await podsOf(client, "db");

      await client.patch(kind, key, { merge: { spec: { size: 2 } } });
      await eventually(async () => {
        expect(((await client.get(kind, key)) as WithStatus).status?.readyReplicas).toBe(2);
      }, patient);
      const pods = await podsOf(client, "db");
      expect(pods.map(({ metadata }) => metadata.name)).toEqual(["db-0", "db-1"]);
      expect(pods[0]!.metadata.uid).toBe(first!.metadata.uid);

      const service = await client.get(Service, key);
      await client.delete(Service, key);
      await eventually(async () => {
        expect((await client.get(Service, key)).metadata.uid).not.toBe(service.metadata.uid);
      }, patient);

      await client.delete(kind, key, { propagationPolicy: "Background" });
      await eventually(async () => {
        expect(await client.find(kind, key)).toBeUndefined();
        expect(await client.find(StatefulSet, key)).toBeUndefined();
        expect(await client.find(Service, key)).toBeUndefined();
        expect(await client.find(Secret, { namespace, name: "db-credentials" })).toBeUndefined();
        const claims = await client.list(PersistentVolumeClaim, { namespace });
        expect(claims.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([]);
      }, patient);
      expect(await operator.stop()).toEqual([]);
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
        patient,
      );
      const before = await podsOf(client, "web");

      await client.patch(kind, key, { merge: { spec: { replicas: 5 } } });
      await eventually(async () => {
        expect(((await client.get(kind, key)) as WithStatus).status?.readyReplicas).toBe(5);
      }, patient);
      const uids = (await podsOf(client, "web")).map(({ metadata }) => metadata.uid);
      for (const { metadata } of before) expect(uids).toContain(metadata.uid);

      await eventually(
        async () => expect(await conditionOf(client, kind, key, "Progressing")).toBe("False"),
        patient,
      );
      const versions = () => versionsOf(client, [kind, Deployment, Service], key);
      const quiet = await versions();
      await new Promise((resolve) => {
        setTimeout(resolve, 3000);
      });
      expect(await versions()).toEqual(quiet);

      await client.delete(kind, key, { propagationPolicy: "Background" });
      await eventually(async () => {
        expect(await client.find(Deployment, key)).toBeUndefined();
        expect(await client.find(Service, key)).toBeUndefined();
      }, patient);
      expect(await operator.stop()).toEqual([]);
    });
  });
}

const appService = { apiVersion: "apps.example.com/v1", kind: "AppService" };

/** An operator that runs; `stop` gives the lines in which it was refused something. */
interface RunningOperator {
  stop(): Promise<string[]>;
}

async function startOperator(
  client: Client,
  kubeconfig: string,
  folder: string,
  project: string,
): Promise<RunningOperator> {
  const root = join(repository, "e2e/golden", project);
  const file = join(folder, `${project}.mjs`);
  await bundleOperator(root, file, { conditions: ["@tsbuilder/source"] });
  await applyConfig(root, client, { namespace: operatorNamespace, webhooks: undefined });
  const operatorConfig = join(folder, `${project}.kubeconfig`);
  await writeTokenConfig(client, kubeconfig, operatorConfig);
  const args = ["--health-probe-bind-address=0", "--enable-webhooks=false", "--leader-elect"];
  const child = spawn(process.execPath, [file, ...args, `--leader-election-namespace=${operatorNamespace}`], {
    env: { PATH: process.env["PATH"]!, KUBECONFIG: operatorConfig },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const refused: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (line.includes("is forbidden")) refused.push(line);
    });
  }
  return {
    stop: async () => {
      await end(child);
      return refused;
    },
  };
}

/** The administrator's kubeconfig with the ServiceAccount's token in place of the administrator's rights. */
async function writeTokenConfig(client: Client, kubeconfig: string, file: string): Promise<void> {
  const account = { namespace: operatorNamespace, name: "controller-manager" };
  const request = await client.subresource(ServiceAccount, account, "token").create({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: {},
  } as never);
  const { token } = (request as unknown as { status: { token: string } }).status;
  const config = parse(readFileSync(kubeconfig, "utf8")) as { users: { user: object }[] };
  config.users[0]!.user = { token };
  writeFileSync(file, JSON.stringify(config));
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
  return pods.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
}

async function versionsOf(
  client: Client,
  kinds: readonly Kind[],
  key: { namespace: string; name: string },
): Promise<(string | undefined)[]> {
  const objects = await Promise.all(kinds.map((kind) => client.get(kind, key)));
  return objects.map(({ metadata }) => metadata.resourceVersion);
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
