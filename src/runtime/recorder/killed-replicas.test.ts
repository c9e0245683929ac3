import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../../e2e/support/bundle-program.ts";
import { createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { ConfigMap } from "../k8s/core/v1.ts";
import { eventually } from "../testing/eventually.ts";
import { FlightReader, type FlightLine } from "./flight-format.ts";

/** An operator that counts without end, and dies as it is told. Grows to its limit first, and then beyond. */
const source = `
  import { defineKind, Manager } from "@tsbuilder/runtime";
  const ConfigMap = defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps" });
  const leaderElection = { leaseDuration: "2s", renewDeadline: "1500ms", retryPeriod: "200ms" };
  const manager = Manager.fromArgs({ name: "counter", leaderElectionId: "counter", leaderElection });
  const held = [];
  const grow = (share) => {
    const limit = process.constrainedMemory() * share;
    while (process.memoryUsage().rss < limit) held.push(Buffer.alloc(2 ** 20, 1));
  };
  const die = {
    throw: () => setImmediate(() => { throw new Error("planted"); }),
    grow: () => { grow(0.94); setTimeout(grow, 3000, 2); },
  };
  manager.controllerFor(ConfigMap).complete({
    async reconcile({ namespace, name }, { log }) {
      const map = await manager.client.find(ConfigMap, { namespace, name });
      if (!map || namespace !== "default" || !["order", "work"].includes(name)) return;
      if (name === "order") return die[map.data[process.env.REPLICA]]?.();
      await manager.client.patch(ConfigMap, map, ({ data }) => (data.count = String(Number(data.count) + 1)));
      return { requeueAfter: { milliseconds: 20 } };
    },
  });
  await manager.start();
`;

/** The controller of memory of cgroups, version 1 or 2, if this user may make groups. */
const memoryGroups = ["/sys/fs/cgroup/memory", "/sys/fs/cgroup"].find(
  (folder) =>
    process.getuid?.() === 0 &&
    (existsSync(join(folder, "memory.limit_in_bytes")) ||
      (existsSync(join(folder, "cgroup.subtree_control")) &&
        readFileSync(join(folder, "cgroup.subtree_control"), "utf8").includes("memory"))),
);

const memoryLimit = 220 * 2 ** 20;

/** Makes a group whose processes are killed beyond the limit, without swapping. Returns its folder. */
function makeGroup(parent: string, name: string): string {
  const group = join(parent, `tsbuilder-${process.pid}-${name}`);
  mkdirSync(group);
  onTestFinished(() => eventually(() => rmdirSync(group)));
  const limit = parent.endsWith("memory") ? "memory.limit_in_bytes" : "memory.max";
  writeFileSync(join(group, limit), String(memoryLimit));
  return group;
}

test.skipIf(memoryGroups === undefined)(
  "after SIGKILL, for want of memory, and by an exception, the next process has what the last one did",
  async () => {
    const work = mkdtempSync(join(tmpdir(), "killed-replicas-"));
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const cluster = await startTestCluster();
    onTestFinished(() => cluster.stop());
    const kubeconfig = await cluster.kubeconfigFile();
    await bundleProgram({ text: source, folder: import.meta.dirname }, join(work, "main.mjs"));
    const client = createClient(await loadConfig({ kubeconfig }), { fieldManager: "driver" });
    onTestFinished(() => client.close());

    const start = (replica: string, group = makeGroup(memoryGroups!, replica)): Replica =>
      new Replica(work, replica, group, [
        `--kubeconfig=${kubeconfig}`,
        "--health-probe-bind-address=0",
        "--leader-elect",
        "--leader-election-namespace=default",
        "--recorder-bind-address=127.0.0.1:0",
        `--recorder-folder=${join(work, replica)}`,
      ]);
    const count = async (): Promise<number> =>
      Number((await client.get(ConfigMap, { namespace: "default", name: "work" })).data!["count"]);
    const countsOn = async (): Promise<void> => {
      const before = await count();
      await eventually(async () => expect(await count()).toBeGreaterThan(before + 30));
    };
    const order = (replica: string, what: string): Promise<unknown> =>
      client.apply(ConfigMap, {
        metadata: { namespace: "default", name: "order" },
        data: { [replica]: what },
      });
    await client.create(ConfigMap, {
      metadata: { namespace: "default", name: "work" },
      data: { count: "0" },
    });

    const first = start("0");
    await countsOn();
    await eventually(() => expect(savedBytes(join(work, "0"))).toBeGreaterThan(10_000));
    const others = [start("1"), start("2")];
    await Promise.all(others.map((replica) => replica.address()));
    first.child.kill("SIGKILL");
    await first.ended;
    const afterKill = await count();
    await countsOn();
    const second = others.find((replica) => replica.text().includes("Starting workers"))!;
    await order(second.name, "grow");
    expect(await second.ended).toEqual({ code: null, signal: "SIGKILL" });
    await countsOn();
    const third = others.find((replica) => replica !== second)!;
    await order(third.name, "throw");
    expect(await third.ended).toEqual({ code: 1, signal: null });
    const afterThrow = await count();
    await client.delete(ConfigMap, { namespace: "default", name: "order" });

    const [killed, grown, broken] = await Promise.all(
      [first, second, third].map(async ({ name, group }) => formerLines(await start(name, group).address())),
    );
    // Half a second may be missing.
    expect(countedIn(killed!)).toBeGreaterThan(0);
    expect(countedIn(killed!)).toBeLessThanOrEqual(afterKill);
    expect(Number(stateIn(killed!, "work")["count"])).toBeGreaterThan(0);
    expect(countedIn(grown!)).toBeGreaterThan(0);
    expect(stateIn(grown!, "order")).toEqual({ [second.name]: "grow" });
    // Nothing is missing. The answer to the last write may not have come.
    expect(stateIn(broken!, "order")).toMatchObject({ [third.name]: "throw" });
    expect(Number(stateIn(broken!, "work")["count"])).toBeGreaterThanOrEqual(afterThrow - 1);
  },
);

function savedBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Returns what the process recorded that was there before the one that serves the record. */
async function formerLines(address: string): Promise<readonly FlightLine[]> {
  const response = await fetch(`http://${address}/record`);
  const lines = new FlightReader().push(new Uint8Array(await response.arrayBuffer()));
  const since = (line: FlightLine): number | undefined =>
    line.channel === "tsbuilder:flight" ? line.since : undefined;
  return lines.slice(
    0,
    lines.findIndex((line) => since(line) !== undefined && since(line) !== since(lines[0]!)),
  );
}

/** The number of writes in a record. */
function countedIn(lines: readonly FlightLine[]): number {
  return lines.filter((line) => line.channel === "tsbuilder:request" && line.method === "PATCH").length;
}

/** The data of the last recorded state of a ConfigMap. */
function stateIn(lines: readonly FlightLine[], name: string): Readonly<Record<string, string>> {
  const states = lines.flatMap((line) =>
    line.channel === "tsbuilder:change" ? [line.object as ConfigMap] : [],
  );
  return states.findLast(({ metadata }) => metadata.name === name)?.data ?? {};
}

class Replica {
  readonly name: string;
  readonly group: string;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly #chunks: string[] = [];

  constructor(work: string, name: string, group: string, args: readonly string[]) {
    this.name = name;
    this.group = group;
    const program = `echo $$ > ${group}/cgroup.procs && exec "$0" "$@"`;
    this.child = spawn("sh", ["-c", program, process.execPath, join(work, "main.mjs"), ...args], {
      env: { PATH: process.env["PATH"], HOME: work, REPLICA: name },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding("utf8").on("data", (chunk: string) => void this.#chunks.push(chunk));
    this.ended = once(this.child, "close").then(([code, signal]) => ({ code, signal }) as never);
    onTestFinished(async () => {
      this.child.kill("SIGKILL");
      await this.ended;
    });
  }

  text(): string {
    return this.#chunks.join("");
  }

  /** Where it serves its record. */
  address(): Promise<string> {
    return eventually(() => {
      const [, address] = /"Serving the record","address":"([^"]+)"/u.exec(this.text()) ?? [];
      if (address === undefined) throw new Error(`it does not serve its record yet: ${this.text()}`);
      return address;
    });
  }
}
