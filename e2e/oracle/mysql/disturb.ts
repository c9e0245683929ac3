import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { startTestManager } from "@tsbuilder/runtime/testing";
import type { RowDataPacket } from "mysql2/promise";
import { parse } from "yaml";
import { Random } from "@tsbuilder/apimachinery/sample";
import { Maria } from "../../golden/maria-operator/api/v1/maria_types.ts";
import {
  formatGtids,
  type Gtids,
  parseGtids,
  subtract,
} from "../../golden/maria-operator/src/controller/maria_gtids.ts";
import { realKubeconfig, startClusterUnderTest } from "../../support/runtime/cluster-under-test.ts";
import { startControlPlane } from "../real/control-plane.ts";
import { findBinaries } from "../real/control-plane-binaries.ts";
import { chooseDisturbance, disturbances, type Scene, size } from "./disturbances.ts";
import { installServers } from "./install-servers.ts";
import { Network } from "./network.ts";
import { Onlooker } from "./onlooker.ts";
import { Operators } from "./operators.ts";
import { Person } from "./person.ts";
import { ProcessKubelet } from "./process-kubelet.ts";
import { Users } from "./users.ts";

// Disturbs real servers while three writers write, and says what became of the rows. See README.md.

const { values: options } = parseArgs({
  options: {
    disturbances: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    "control-plane": { type: "boolean", default: false },
    inside: { type: "string" },
    find: { type: "boolean", default: false },
  },
});

const crdFile = new URL(
  "../../golden/maria-operator/config/crd/bases/data.example.com_maria.yaml",
  import.meta.url,
).pathname;
const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const canIsolate = options.inside !== undefined || tryToIsolate();
const servers = canIsolate ? installServers() : "this needs root, unshare, ip and iptables";
const isReal = options["control-plane"];
const binaries = isReal ? findBinaries({ build: options.inside === undefined }) : undefined;
if (typeof servers === "string") {
  console.log(`left out: real MySQL servers: ${servers}`);
  if (options.find) process.exitCode = 1;
} else if (binaries && "missing" in binaries) {
  console.log(`left out: a real control plane: ${binaries.missing}`);
} else if (options.find) {
  console.log("MySQL servers and their tools are here");
} else if (options.inside === undefined) {
  // All that runs and is mounted goes away with these namespaces.
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-mysql-"));
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1), `--inside=${folder}`];
  const { status } = spawnSync("unshare", [...namespaces, ...words], { stdio: "inherit" });
  if (status === 0) rmSync(folder, { recursive: true });
  else console.log(`logs are in ${folder}`);
  process.exitCode = status ?? 1;
} else {
  const folder = options.inside;
  // Data and logs of the control plane go with the folder.
  process.env["TMPDIR"] = folder;
  const random = new Random(Number(options.seed));
  const network = await Network.create(size);
  const kubeconfig = await (binaries ? startRealCluster(binaries.folder) : startEmbeddedCluster());
  // Its client outlives all operators.
  const { client } = await startTestManager(kubeconfig, () => undefined);
  const kubelet = new ProcessKubelet(client, servers, network, folder);
  const onlooker = new Onlooker(kubelet);
  const users = new Users(client, random.fork("users"));
  const person = new Person(client, kubelet, users, onlooker, random.fork("person"));
  const operators = await Operators.create(folder, kubeconfig);
  const undone = new Map<NodeJS.Timeout, () => void>();
  const scene: Scene = {
    client,
    kubelet,
    network,
    operators,
    onlooker,
    person,
    random,
    folder,
    later(seconds, undo) {
      const timer = setTimeout(() => {
        undone.delete(timer);
        undo();
      }, seconds * 1000);
      undone.set(timer, undo);
    },
  };

  operators.start();
  await client.create(Maria, { metadata: { name: "db", namespace: "default" }, spec: { size } });
  for (const loop of [kubelet.start(), onlooker.watch(), person.watch()]) loop.catch(fail);
  await person.untilReady().catch(fail);
  for (const late of [0, 30, 90]) users.write(late).catch(fail);
  await makeObjects(0);

  const happened = new Map<string, number>();
  const total = Number(options.disturbances);
  const only = options.only?.split(",");
  for (let count = 0; count < total;) {
    const round = Math.min(only?.length ?? random.integer(3, 8), total - count);
    for (let index = 0; index < round; index += 1) {
      const name = only ? only[(count + index) % only.length]! : chooseDisturbance(random);
      console.log(`  ${time()} ${name}`);
      await disturbances[name]!.run(scene);
      happened.set(name, (happened.get(name) ?? 0) + 1);
      await sleep(random.integer(0, 4000));
    }
    count += round;
    // Lasting disturbances go on for some time without new ones, so that the status has something to advise.
    if (random.chance(0.4)) await sleep(random.integer(5, 40) * 1000);
    for (const [timer, undo] of undone) {
      clearTimeout(timer);
      undo();
    }
    undone.clear();
    operators.settle();
    console.log(`  ${time()} healed`);
    await person.untilReady().catch(fail);
    await check();
    report(count);
  }
  console.log(
    JSON.stringify({ happened: Object.fromEntries(happened), followed: Object.fromEntries(person.followed) }),
  );
  process.exit(0);

  function report(count: number): void {
    const { acknowledged, agreedLosses, longestGap } = users;
    const gap = `longest time without writes ${Math.round(longestGap / 1000)} s`;
    const lost = `${agreedLosses} lost as agreed, none otherwise`;
    console.log(`${time()} ${count} disturbances: ${acknowledged} rows acknowledged, ${lost}, ${gap}`);
  }

  /** Causes of copies that fail: a view whose table is gone, and an event, which replicas must not execute. */
  async function makeObjects(primary: number): Promise<void> {
    const statements = [
      "CREATE TABLE IF NOT EXISTS app.t (id INT PRIMARY KEY, filler VARCHAR(200))",
      "CREATE TABLE IF NOT EXISTS app.gone (id INT)",
      "CREATE OR REPLACE VIEW app.broken AS SELECT * FROM app.gone",
      "DROP TABLE app.gone",
      "CREATE TABLE IF NOT EXISTS app.ticks (id INT AUTO_INCREMENT PRIMARY KEY)",
    ];
    await users.pause();
    for (const sql of statements) await execute(sql);
    const before = await executedBy(primary);
    // If it became another account's, it would have that one's rights.
    await execute(
      "CREATE DEFINER = app@'%' EVENT app.tick ON SCHEDULE EVERY 1 SECOND DO INSERT INTO app.ticks VALUES (NULL)",
    );
    users.made = subtract(await executedBy(primary), before);
    users.goOn();

    async function execute(sql: string): Promise<void> {
      if (!(await onlooker.query(`db-${primary}`, sql))) fail(new Error(`fails: ${sql}`));
    }
  }

  async function executedBy(ordinal: number): Promise<Gtids> {
    const [row] = await asked(ordinal, "SELECT @@gtid_executed AS gtids");
    return parseGtids(String(row!["gtids"]));
  }

  /** Compares the primary with what was acknowledged, and replicas with the primary. */
  async function check(): Promise<void> {
    if (onlooker.twoPrimaries.length > 0) fail(new Error(`two took writes: ${onlooker.twoPrimaries[0]}`));
    const primary = (await person.current()).status?.primary ?? 0;
    const events = "SELECT CONCAT_WS(' ', STATUS, DEFINER, SQL_MODE) AS state FROM information_schema.EVENTS";
    if ((await asked(primary, events)).length === 0 && users.agreedToAll) await makeObjects(primary);
    await users.pause();
    const had = await idsAt(primary);
    const lost = users.settle(had);
    if (lost.length > 0)
      fail(new Error(`lost: ${JSON.stringify(lost.map(({ id, gtids }) => [id, ...gtids]))}`));
    const [event] = await asked(primary, events);
    const state = String(event?.["state"]);
    if (!/^ENABLED app@% .*STRICT_TRANS_TABLES/.test(state)) fail(new Error(`the event: ${state}`));
    const executed = formatGtids(await executedBy(primary));
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      await untilExecuted(ordinal, executed);
      const found = await idsAt(ordinal);
      // A statement that timed out may still be executed.
      const has = await idsAt(primary);
      const wrong = [...[...had].filter((id) => !found.has(id)), ...[...found].filter((id) => !has.has(id))];
      if (wrong.length > 0)
        fail(new Error(`server ${ordinal} and the primary differ in rows ${wrong.join()}`));
    }
    users.goOn();
  }

  async function idsAt(ordinal: number): Promise<Set<number>> {
    return new Set((await asked(ordinal, "SELECT id FROM app.t")).map(({ id }) => id as number));
  }

  async function untilExecuted(ordinal: number, gtids: string): Promise<void> {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const [row] = await asked(ordinal, `SELECT WAIT_FOR_EXECUTED_GTID_SET('${gtids}', 10) AS isLate`);
      if (row?.["isLate"] === 0) return;
    }
    const [row] = await asked(ordinal, "SELECT @@gtid_executed AS executed");
    fail(new Error(`server ${ordinal} doesn't catch up: it has ${row?.["executed"]}, the primary ${gtids}`));
  }

  /** Leaves copies of the volumes beside the logs. */
  function fail(error: Error): never {
    console.log(`${time()} ${error.stack}`);
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      kubelet.save(`db-${ordinal}`, join(folder, `failed-${ordinal}`));
    }
    process.exit(1);
  }

  async function asked(ordinal: number, sql: string): Promise<RowDataPacket[]> {
    for (let attempt = 0; attempt < 60; attempt += 1) {
      const rows = await onlooker.query(`db-${ordinal}`, sql);
      if (rows) return rows;
      await sleep(1000);
    }
    return fail(new Error(`server ${ordinal} doesn't answer: ${sql}`));
  }
}

/** Returns the path of its kubeconfig. */
async function startEmbeddedCluster(): Promise<string> {
  const cluster = await startTestCluster({ crds: crdFile, controllers: ["statefulset"] });
  return cluster.kubeconfigFile();
}

async function startRealCluster(programs: string): Promise<string> {
  const { kubeconfig } = await startControlPlane(programs, { controllerManager: true });
  process.env[realKubeconfig] = kubeconfig;
  await startClusterUnderTest(parse(readFileSync(crdFile, "utf8")));
  return kubeconfig;
}

function tryToIsolate(): boolean {
  const script = "ip link add bridge type bridge && iptables --wait -A INPUT -s 10.0.0.1 -j DROP";
  return spawnSync("unshare", [...namespaces, "sh", "-c", script]).status === 0;
}

function time(): string {
  return new Date().toISOString().slice(11, 19);
}
