import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { cli, end, secondsSince, title, tsbuilderIn, until } from "./steps.ts";

/**
 * `npm run demo -- --nodes 1`: the MySQL operator as an image on an embedded cluster with nodes, where it runs real servers. Rows are
 * written, the primary's pod is killed, and the rows are still there. It takes the flags of `cluster start` for nodes, and --load FILE
 * for archives of images that this machine can't pull; a container tool builds the operator's image.
 */
const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1" },
    "node-programs": { type: "string" },
    "node-image": { type: "string" },
    load: { type: "string", multiple: true, default: [] },
  },
});
const started = performance.now();
const work = mkdtempSync(join(tmpdir(), "tsbuilder-demo-"));
const project = join(work, "db-operator");
const kubeconfig = join(work, "kubeconfig");
const image = "db-operator:demo";
const namespace = "default";
const name = "mysql-sample";
const primary = { namespace, name: `${name}-0` };
mkdirSync(project);
// The images' tools find this machine's user; kubectl must find the demo's cluster and no other.
const tsbuilder = tsbuilderIn(project, { ...process.env, KUBECONFIG: kubeconfig });
let cluster: ChildProcess | undefined;
try {
  title("tsbuilder create api --group data --version v1 --kind MySQL --template mysql");
  tsbuilder("init", "--domain", "example.com");
  const api = ["--group", "data", "--version", "v1", "--kind", "MySQL", "--template", "mysql"];
  tsbuilder("create", "api", ...api);
  title(`tsbuilder build --image ${image}`);
  tsbuilder("build", "--image", image);

  title(`tsbuilder cluster start --nodes ${values.nodes}`);
  const ready = performance.now();
  cluster = await startCluster();
  console.log(`-- the nodes are ready, after ${secondsSince(ready)} s`);
  for (const archive of [image, ...values.load]) tsbuilder("load", archive, "--kubeconfig", kubeconfig);
  title(`tsbuilder deploy --image ${image} --wait`);
  tsbuilder("deploy", "--image", image, "--wait");
  await useDatabase();
  title(`done in ${secondsSince(started)} s, ${secondsSince(ready)} s of them after the image was built`);
} finally {
  if (cluster) await end(cluster);
  rmSync(work, { recursive: true, force: true });
}

/** Resolves when the nodes are ready; fails with the command. */
async function startCluster(): Promise<ChildProcess> {
  const words = (["nodes", "node-programs", "node-image"] as const).flatMap((flag) =>
    values[flag] === undefined ? [] : [`--${flag}`, values[flag]],
  );
  const child = spawn(process.execPath, [cli, "cluster", "start", "--kubeconfig", kubeconfig, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (line.startsWith("cluster ready")) return child;
  }
  throw new Error("tsbuilder cluster start has ended");
}

async function useDatabase(): Promise<void> {
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  try {
    const apiVersion = "data.example.com/v1";
    const MySQL = await client.mapper.kindFor({ apiVersion, kind: "MySQL" });
    title("a MySQL of two servers");
    await client.create(MySQL, {
      apiVersion,
      kind: "MySQL",
      metadata: { namespace, name },
      spec: { database: "shop", size: 2, storage: { size: "1Gi" } },
    });
    const isServing = async (): Promise<boolean> =>
      isReady((await client.get(MySQL, { namespace, name })) as WithStatus);
    await until("both servers are ready, and one follows the other", isServing, 300);
    for (const { metadata, spec, status } of await client.list(Pod, { namespace }))
      console.log(`   Pod ${metadata.name} on ${spec?.nodeName}: ${status?.phase}`);

    title("write a hundred rows");
    await ask("CREATE TABLE visits (id INT PRIMARY KEY, at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
    const ids = Array.from({ length: 100 }, (_, index) => `(${index + 1})`);
    await ask(`INSERT INTO visits (id) VALUES ${ids.join()}`);
    console.log(`   ${await ask("SELECT COUNT(*) FROM visits")} rows in ${primary.name}`);

    title(`kubectl delete pod ${primary.name}`);
    const { uid } = (await client.get(Pod, primary)).metadata;
    await client.delete(Pod, primary);
    await until(
      "another pod has its volume, and serves",
      async () => {
        const pod = await client.find(Pod, primary);
        // For a moment the database's status is that of before.
        return pod !== undefined && pod.metadata.uid !== uid && isReady(pod) && (await isServing());
      },
      300,
    );
    const count = await ask("SELECT COUNT(*) FROM visits");
    console.log(`   ${count} rows in ${primary.name}`);
    if (count !== "100") throw new Error(`of 100 rows there are ${count}`);

    /** Asks the server in the pod of the first one, as its root, and returns what it prints. */
    async function ask(sql: string): Promise<string> {
      const words = [
        "--no-defaults",
        "--socket=/run/mysqld/mysqld.sock",
        "--user=root",
        "--skip-column-names",
      ];
      const command = ["mysql", ...words, "--database=shop", "--execute", sql];
      const { exitCode, stdout, stderr } = await client.exec(primary, command, { container: "mysql" });
      if (exitCode !== 0) throw new Error(stderr);
      return stdout.trim();
    }
  } finally {
    await client.close();
  }
}

function isReady({ status }: WithStatus): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

interface WithStatus {
  readonly status?:
    | { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined }
    | undefined;
}
