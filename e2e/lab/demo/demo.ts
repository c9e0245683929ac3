import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Client, createClient, type Kind, loadConfig } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { cli, end, secondsSince, title, tsbuilderIn, until } from "./steps.ts";

/**
 * Shows the main job: scaffolds the AppService operator, runs it on the embedded cluster, and acts as a user who applies
 * the sample, scales it and deletes a Service. Exits at the end, or keeps running with --keep.
 */
const keep = process.argv.includes("--keep");
const name = "appservice-sample";
const namespace = "default";
const next = `
Next, in this folder:
  npm run demo -- --keep     the same, and it goes on: with kubectl, and a page in the browser
  npm run demo -- --nodes 1  a database with real servers, in containers: with Docker or podman
  npm install --global --ignore-scripts ./dist/vendor/tsbuilder-0*.tgz
and then in an empty one:
  tsbuilder init --domain example.com
  tsbuilder create api --group apps --version v1 --kind MySQL
  tsbuilder dev --samples`;

// A database needs nodes, which run its containers.
await (process.argv.includes("--nodes") ? import("./database.ts") : showOperator());

async function showOperator(): Promise<void> {
  const started = performance.now();
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-demo-"));
  const project = join(work, "web-operator");
  mkdirSync(project);
  try {
    title("tsbuilder init --domain example.com --template appservice");
    tsbuilderIn(project)("init", "--domain", "example.com", "--template", "appservice");
    const ready = performance.now();
    title("tsbuilder dev --samples");
    await withOperator(project, async (client, AppService) => {
      await until("the sample is available", async () =>
        conditionOf(await client.find(AppService, { namespace, name })),
      );
      await showObjects(client);

      title("scale to 5 pods");
      const app = await client.get(AppService, { namespace, name });
      await client.patch(AppService, app, { merge: { spec: { replicas: 5 } } });
      await until("5 pods are ready", async () => {
        const { status } = (await client.get(AppService, { namespace, name })) as WithStatus;
        return status?.readyReplicas === 5;
      });
      await showObjects(client);

      title("delete its Service");
      const service = await client.get(Service, { namespace, name });
      await client.delete(Service, { namespace, name });
      await until("the operator has recreated it", async () => {
        const again = await client.find(Service, { namespace, name });
        return again !== undefined && again.metadata.uid !== service.metadata.uid;
      });

      const after = `${secondsSince(ready)} s of them after scaffolding and npm install`;
      title(`done in ${secondsSince(started)} s, ${after}`);
      if (keep) await stay(project);
      else console.log(next);
    });
  } finally {
    if (!keep) rmSync(work, { recursive: true, force: true });
  }
}

interface WithStatus {
  readonly status?: {
    readonly readyReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Runs `tsbuilder dev` while a function acts as the user, and stops it afterwards. */
async function withOperator(
  project: string,
  act: (client: Client, AppService: Kind) => Promise<void>,
): Promise<void> {
  const dev = spawn(process.execPath, [cli, "dev", "--samples"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await readyLine(dev);
    const kubeconfig = join(project, ".tsbuilder/dev/kubeconfig");
    if (!existsSync(kubeconfig)) throw new Error("dev has not written a kubeconfig");
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    await act(client, await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "AppService" }));
  } finally {
    await end(dev);
  }
}

/** Prints changes of the operator's objects, without its log. Resolves when the cluster is ready. */
function readyLine(dev: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    dev.once("exit", (code) => reject(new Error(`tsbuilder dev exited with code ${code}`)));
    createInterface({ input: dev.stdout! }).on("line", (line) => {
      if (!line.startsWith("operator |")) console.log(line);
      if (line.startsWith("cluster ready")) resolve();
    });
  });
}

function conditionOf(object: object | undefined): boolean {
  const { status } = (object ?? {}) as WithStatus;
  return (
    status?.conditions?.some(({ type, status: holds }) => type === "Available" && holds === "True") ?? false
  );
}

async function showObjects(client: Client): Promise<void> {
  const deployments = await client.list(Deployment, { namespace });
  for (const { metadata, status } of deployments) {
    console.log(
      `   Deployment ${metadata.name}: ${status?.readyReplicas ?? 0} of ${status?.replicas ?? 0} ready`,
    );
  }
  const pods = await client.list(Pod, { namespace });
  for (const { metadata, status } of pods) console.log(`   Pod ${metadata.name}: ${status?.phase}`);
  const services = await client.list(Service, { namespace, labels: "app.kubernetes.io/instance" });
  for (const { metadata, spec } of services)
    console.log(`   Service ${metadata.name}: ${spec?.clusterIP ?? "-"}`);
}

async function stay(project: string): Promise<void> {
  console.log(
    `\nPress Ctrl-C to stop. Try: KUBECONFIG=${project}/.tsbuilder/dev/kubeconfig kubectl get appservice,pods`,
  );
  await new Promise<void>((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
