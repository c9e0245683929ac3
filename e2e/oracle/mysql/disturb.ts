import { chownSync, mkdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { isConditionTrue } from "@tsbuilder/runtime";
import { Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { type Connection, createConnection, type RowDataPacket } from "mysql2/promise";
import { Maria, type MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { setupMariaController } from "../../golden/maria-operator/src/controller/maria_controller.ts";
import { ProcessKubelet } from "./process-kubelet.ts";

// Disturbs real servers while three writers write, and says how many acknowledged rows are lost, and how often two servers took
// writes: node --conditions=@tsbuilder/source --import tsx e2e/oracle/mysql/disturb.ts FOLDER MYSQLD EMPTY_DATA UID GID SECONDS

const [folder = "", mysqld = "", emptyData = "", uid = "", gid = "", seconds = "300"] = process.argv.slice(2);
const namespace = "default";
const size = 3;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
chownSync(folder, Number(uid), Number(gid));
const crds = new URL("../../golden/maria-operator/config/crd/bases", import.meta.url).pathname;
const cluster = await startTestCluster({ crds, controllers: ["statefulset"] });
const operators: TestManager[] = [await startOperator()];
// Its client outlives all operators.
const onlooker = await startTestManager(cluster.kubeconfig, () => undefined);
const { client } = onlooker;
const kubelet = new ProcessKubelet(client, { folder, mysqld, emptyData, uid: Number(uid), gid: Number(gid) });
const kubeletLoop = kubelet.start();
const acknowledged = new Set<number>();
let lastId = 0;
const twoPrimaries: string[] = [];
const over = new AbortController();

await client.create(Maria, { metadata: { name: "db", namespace }, spec: { size } });
await untilReady();
const loops = [write(), write(), write(), watch()];
const end = Date.now() + Number(seconds) * 1000;
let disturbances = 0;
let lost: number[] = [];
while (Date.now() < end && lost.length === 0 && twoPrimaries.length === 0) {
  for (let index = 0; index < 6; index += 1) {
    const all = [
      kill,
      pause,
      replacePod,
      replaceAll,
      switchTo,
      thereAndBack,
      exchangeOperator,
      addOperator,
      rotate,
      loseReplica,
    ];
    await all[below(all.length)]!();
    disturbances += 1;
    await sleep(below(3000));
  }
  await untilReady();
  lost = await missing();
  console.log(
    `${disturbances} disturbances: ${acknowledged.size} rows acknowledged, ${lost.length} lost, two primaries ${twoPrimaries.length} times`,
  );
}
over.abort();
await Promise.allSettled(loops);
for (const operator of [...operators, onlooker]) await operator.stop();
kubelet.stop();
await kubeletLoop;
await cluster.stop();
process.exit(lost.length + twoPrimaries.length > 0 ? 1 : 0);

function startOperator(): Promise<TestManager> {
  return startTestManager(cluster.kubeconfig, (manager) => setupMariaController(manager));
}

async function untilReady(): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { metadata, status } = await current();
    const isSeen = status?.observedGeneration === metadata.generation;
    if (isSeen && isConditionTrue(status?.conditions, "Ready")) return;
    await sleep(500);
  }
  throw new Error(`not ready after five minutes: ${JSON.stringify((await current()).status)}`);
}

function current() {
  return client.get(Maria, { namespace, name: "db" }, { live: true });
}

async function change(edit: (spec: MariaSpec) => void): Promise<void> {
  await client.patch(Maria, await current(), ({ spec }) => edit(spec), { optimisticLock: false });
}

async function kill(): Promise<void> {
  kubelet.signal(`db-${below(size)}`, "SIGKILL");
}

/** A server that stands still answers nobody, and goes on where it was. */
async function pause(): Promise<void> {
  const name = `db-${below(size)}`;
  kubelet.signal(name, "SIGSTOP");
  await sleep(1000 + below(5000));
  kubelet.signal(name, "SIGCONT");
}

async function replacePod(ordinal = below(size)): Promise<void> {
  const pod = await client.find(Pod, { namespace, name: `db-${ordinal}` }, { live: true });
  if (pod) await client.delete(Pod, pod);
}

async function replaceAll(): Promise<void> {
  for (let ordinal = 0; ordinal < size; ordinal += 1) await replacePod(ordinal);
}

async function switchTo(primary = below(size)): Promise<void> {
  await change((spec) => (spec.primary = primary));
}

async function thereAndBack(): Promise<void> {
  const { primary = 0 } = (await current()).status ?? {};
  await switchTo((primary + 1) % size);
  await sleep(below(3000));
  await switchTo(primary);
}

async function exchangeOperator(): Promise<void> {
  await operators.shift()?.stop();
  operators.push(await startOperator());
}

/** Two operators at once, as when one has lost its lease and does not know it. */
async function addOperator(): Promise<void> {
  if (operators.length > 1) await operators.pop()!.stop();
  else operators.push(await startOperator());
}

async function rotate(): Promise<void> {
  const metadata = { namespace, name: "given" };
  await client.apply(Secret, { metadata, stringData: { password: `it's\\${below(1e9)}` } });
  await change((spec) => (spec.passwordSecret = { name: "given" }));
}

async function loseReplica(): Promise<void> {
  const { spec, status } = await current();
  const ordinal = ((status?.primary ?? 0) + 1) % size;
  if (spec.primary === ordinal || !isConditionTrue(status?.conditions, "Ready")) return;
  const name = `db-${ordinal}`;
  kubelet.held.add(name);
  await replacePod(ordinal);
  while (kubelet.addressOf(name) !== undefined) await sleep(100);
  rmSync(kubelet.volumeOf(name), { recursive: true });
  kubelet.held.delete(name);
}

/** Writes to the pod that the Service selects, with a connection as long as it holds. */
async function write(): Promise<void> {
  while (!over.signal.aborted) {
    const pods = await client.list(Pod, { namespace, live: true });
    const pod = pods.find(({ metadata }) => metadata.labels?.["data.example.com/writes"] === "true");
    await withConnection(pod?.status?.podIP, async (connection) => {
      await connection.query("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)");
      while (!over.signal.aborted) {
        const id = (lastId += 1);
        await connection.query({ sql: `INSERT INTO t VALUES (${id})`, timeout: 5000 });
        acknowledged.add(id);
      }
    });
    await sleep(200);
  }
}

/** Asks every server every 50 ms whether it takes writes. */
async function watch(): Promise<void> {
  while (!over.signal.aborted) {
    const open: string[] = [];
    const ask = (address: string) =>
      withConnection(address, async (connection) => {
        const [rows] = await connection.query<RowDataPacket[]>({
          sql: "SELECT @@read_only AS locked",
          timeout: 1000,
        });
        if (rows[0]?.["locked"] === 0) open.push(address);
      });
    await Promise.all(kubelet.addresses().map(ask));
    if (open.length > 1) twoPrimaries.push(open.join());
    await sleep(50);
  }
}

/** The acknowledged rows that the primary lacks. */
async function missing(): Promise<number[]> {
  const known = [...acknowledged];
  const { primary } = (await current()).status ?? {};
  const found = new Set<number>();
  while (found.size === 0) {
    await withConnection(kubelet.addressOf(`db-${primary}`), async (connection) => {
      const [rows] = await connection.query<RowDataPacket[]>("SELECT id FROM t UNION SELECT 0");
      for (const { id } of rows) found.add(id as number);
    });
  }
  return known.filter((id) => !found.has(id));
}

/** Whatever fails ends the connection only. */
async function withConnection(
  host: string | undefined,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (host === undefined) return;
  const secret = await client.find(Secret, { namespace, name: "db-credentials" }, { live: true });
  const password = Buffer.from(secret?.data?.["password"] ?? "", "base64").toString();
  const login = { host, user: "app", password, database: "app", ssl: { rejectUnauthorized: false } };
  const connection = await createConnection({ ...login, connectTimeout: 1000 }).catch(() => undefined);
  connection?.on("error", () => undefined);
  await connection
    ?.query("SELECT 1")
    .then(() => use(connection))
    .catch(() => undefined);
  connection?.destroy();
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
