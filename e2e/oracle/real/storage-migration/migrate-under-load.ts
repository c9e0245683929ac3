import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ApiError, type Client, createClient, loadConfig, type NamespacedName } from "@tsbuilder/runtime";
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import {
  crdName,
  createWidgetCRD,
  inVersion,
  statusOf,
  storeIn,
} from "../../../support/cluster/stored-widgets.ts";
import type { ControlPlane } from "../control-plane.ts";

export interface MigrationLoad {
  readonly objects: number;
  readonly objectsPerSecond: number;
  /** Milliseconds between two kills of the operator, at least: it always comes further. */
  readonly killEvery: number;
}

export interface MigrationReport {
  /** Seconds from the change of the storage version to that of `status.storedVersions`. */
  readonly seconds: number;
  readonly kills: number;
  /** Writes of others meanwhile. */
  readonly writes: number;
  /** Objects that are missing, that should not be there, or that have another content than was written. */
  readonly wrong: readonly string[];
  /** Keys of etcd whose values are not of the storage version. */
  readonly left: readonly string[];
  readonly storedVersions: readonly string[] | undefined;
}

const writers = 10;

/**
 * Migrates Widgets that are stored in v1, while ten writers create, change and delete others through both versions, and the
 * operator is killed again and again. Then compares what the server has with what was written, and looks into etcd.
 */
export async function migrateUnderLoad(plane: ControlPlane, load: MigrationLoad): Promise<MigrationReport> {
  const client = createClient(() => loadConfig({ kubeconfig: plane.kubeconfig, env: {} }));
  try {
    const expected = await createWidgets(client, load.objects);
    await storeIn(client, "v2");
    const begun = performance.now();
    const ended = new AbortController();
    const writing = Array.from({ length: writers }, (_, writer) =>
      write(client, expected, writer, ended.signal),
    );
    const kills = await killUntilMigrated(plane, load, client);
    const seconds = (performance.now() - begun) / 1000;
    ended.abort();
    const writes = (await Promise.all(writing)).reduce((sum, count) => sum + count, 0);
    const { stored } = await statusOf(client);
    const wrong = await differences(client, expected);
    return {
      seconds,
      kills,
      writes,
      wrong,
      left: await storedOtherwise(plane.etcd, "v2"),
      storedVersions: stored,
    };
  } finally {
    await client.close();
  }
}

/** The sizes in the specs of Widgets, by name. */
type Expected = Map<string, number>;

const key = (name: string): NamespacedName => ({ namespace: "default", name });
const body = (name: string, size: number) => ({ metadata: key(name), spec: { size } });

async function createWidgets(client: Client, count: number): Promise<Expected> {
  await client.create(CustomResourceDefinition, createWidgetCRD() as never);
  const expected: Expected = new Map();
  for (let index = 0; index < count; index++) expected.set(`w-${index}`, index);
  const names = expected.entries();
  const create = async (): Promise<void> => {
    for (const [name, size] of names)
      await untilServed(() => client.create(inVersion("v1"), body(name, size)));
  };
  await Promise.all(Array.from({ length: 20 }, create));
  return expected;
}

/** A CRD is served a moment after it was created. */
async function untilServed<R>(call: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ApiError && error.isNotFound)) throw error;
      await sleep(50);
    }
  }
}

/** Writes Widgets of its own until the signal: the ones whose number leaves the writer's when it is divided by ten. */
async function write(
  client: Client,
  expected: Expected,
  writer: number,
  signal: AbortSignal,
): Promise<number> {
  let writes = 0;
  const own = [...expected.keys()].filter((_, index) => index % writers === writer);
  for (let round = 0; !signal.aborted; round++) {
    const kind = inVersion(round % 2 === 0 ? "v1" : "v2");
    const name = own[(round * 7919) % own.length]!;
    if (round % 10 === 3) {
      const added = `x-${writer}-${round}`;
      await client.create(kind, body(added, round));
      expected.set(added, round);
      own.push(added);
    } else if (round % 10 === 7) {
      await client.delete(kind, key(name));
      expected.delete(name);
      own.splice(own.indexOf(name), 1);
    } else {
      await client.patch(kind, key(name), { merge: { spec: { size: -round } } });
      expected.set(name, -round);
    }
    writes++;
    await sleep(20);
  }
  return writes;
}

/** Runs the operator, and kills it after each interval, if it has come further in it. */
async function killUntilMigrated(
  plane: ControlPlane,
  { killEvery, objectsPerSecond }: MigrationLoad,
  client: Client,
): Promise<number> {
  const program = fileURLToPath(new URL("migrator.ts", import.meta.url));
  const options = ["--conditions=@tsbuilder/source", "--import", "tsx", program];
  const start = (): ChildProcess =>
    spawn(process.execPath, [...options, plane.kubeconfig, `${objectsPerSecond}`], { stdio: "ignore" });
  let running = start();
  let kills = 0;
  let started = performance.now();
  let before: string | undefined;
  try {
    for (;;) {
      const { stored, condition } = await statusOf(client);
      if (stored?.join() === "v2") return kills;
      await sleep(100);
      // It ends by itself when it loses its lease, as under load; a kubelet starts it again, too.
      const hasEnded = running.exitCode !== null;
      if (!hasEnded && (performance.now() - started < killEvery || condition?.message === before)) continue;
      if (!hasEnded) {
        running.kill("SIGKILL");
        kills++;
      }
      running = start();
      started = performance.now();
      before = condition?.message;
    }
  } finally {
    if (running.exitCode === null) {
      running.kill("SIGKILL");
      await once(running, "exit");
    }
  }
}

async function differences(client: Client, expected: Expected): Promise<string[]> {
  const sizes = new Map<string, number>();
  for await (const { items } of client.pages(inVersion("v2")))
    for (const item of items)
      sizes.set(item.metadata.name!, (item as unknown as { spec: { size: number } }).spec.size);
  const names = new Set([...sizes.keys(), ...expected.keys()]);
  return [...names]
    .filter((name) => sizes.get(name) !== expected.get(name))
    .map((name) => `${name}: ${sizes.get(name)}, not ${expected.get(name)}`);
}

interface EtcdRange {
  readonly kvs?: readonly { readonly key: string; readonly value: string }[];
  readonly more?: boolean;
}

const etcdPage = 2000;

/** Reads etcd itself, which no API shows: the keys of Widgets that are stored in another version. */
async function storedOtherwise(etcd: string, version: string): Promise<string[]> {
  const left: string[] = [];
  const [group, plural] = ["example.com", crdName.split(".")[0]];
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const end = base64(`/registry/${group}/${plural}0`);
  for (let from = base64(`/registry/${group}/${plural}/`), more = true; more;) {
    const response = await fetch(`${etcd}/v3/kv/range`, {
      method: "POST",
      body: JSON.stringify({ key: from, range_end: end, limit: etcdPage }),
    });
    const range = (await response.json()) as EtcdRange;
    const kvs = range.kvs ?? [];
    for (const { key: name, value } of kvs) {
      const { apiVersion } = JSON.parse(Buffer.from(value, "base64").toString()) as { apiVersion: string };
      if (apiVersion !== `${group}/${version}`) left.push(Buffer.from(name, "base64").toString());
    }
    more = range.more === true;
    from = Buffer.concat([Buffer.from(kvs.at(-1)?.key ?? "", "base64"), Buffer.of(0)]).toString("base64");
  }
  return left;
}
