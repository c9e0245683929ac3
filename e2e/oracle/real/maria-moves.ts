import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { expect } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { MariaCluster } from "./maria-cluster.ts";
import { credentials } from "./maria-files.ts";
import type { Knowledge } from "./maria-knowledge.ts";
import { failOver, finishSwitchover, replicaOf } from "./maria-switches.ts";
import { SmallVolume, smallVolumesLack } from "./small-volume.ts";

/** An event that may happen to a cluster. Ordinals and numbers are taken modulo the existing ones. */
export interface Move {
  readonly name: keyof typeof moves;
  readonly at: number;
}

const lacking = smallVolumesLack();
if (lacking) console.log(`left out: full volumes of real MariaDB servers: ${lacking}`);
export const canFillData = lacking === undefined;

export const anyMove: fc.Arbitrary<Move> = fc.record({
  name: fc.constantFrom<keyof typeof moves>(
    ...([
      "write",
      "write",
      "write",
      "switchOver",
      "switchOver",
      "loseReplica",
      "losePrimary",
      "killAll",
    ] as const),
    ...(["save", "putBack", "failOver", "rotate", "backUp", "killReplica"] as const),
    ...(["killSwitchover", "killTarget", "killInit"] as const),
    ...(["restore", "fillBackups", "jumpClock"] as const),
    ...(canFillData ? (["fillData"] as const) : []),
  ),
  at: fc.nat(1000),
});

/** Each leaves the cluster such that it settles. */
export const moves = {
  write: (cluster: MariaCluster, known: Knowledge, at: number) => write(cluster, known, 1 + (at % 40)),

  /** Everything is killed in the middle of writes. */
  killAll: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const writing = write(cluster, known, 2000);
    await pause(at % 400);
    await Promise.all(cluster.servers.map((server) => server.stop("SIGKILL")));
    await writing;
  },

  killReplica: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const writing = write(cluster, known, 300);
    await replicaOf(cluster, at)?.server.stop("SIGKILL");
    await writing;
  },

  loseReplica: async (cluster: MariaCluster, _: Knowledge, at: number) => {
    const { server } = replicaOf(cluster, at) ?? {};
    await server?.stop("SIGKILL");
    server?.empty();
  },

  switchOver: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const target = replicaOf(cluster, at);
    if (!target) return;
    const writing = write(cluster, known, 5000);
    await pause(at % 200);
    const { code, output } = cluster.switchTo(target.ordinal);
    await writing;
    expect({ code, output }).toMatchObject({ code: 0 });
    cluster.record(target.ordinal);
  },

  /** The Job is killed at any moment. If it has not begun, it is given up, and writes go on; else it is finished. */
  killSwitchover: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const target = replicaOf(cluster, at);
    if (!target) return;
    const job = cluster.current.run("switch.sh", cluster.addressOf(target.ordinal));
    const ended = new Promise((resolve) => job.once("exit", resolve));
    await pause(at % 600);
    if (job.exitCode === null) process.kill(-job.pid!, "SIGKILL");
    await ended;
    // The kubelet restarts what the first attempt has ended.
    for (const server of cluster.servers) if (!server.isRunning) server.start();
    const hasBegun = cluster.current.hasData(".operator-drained");
    const acknowledged = await write(cluster, known, 10);
    if (hasBegun) await finishSwitchover(cluster, target.ordinal);
    else expect(acknowledged).toBe(10);
  },

  /** The server that is to be primary dies at any moment, and starts again while the Job is repeated. */
  killTarget: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const target = replicaOf(cluster, at);
    if (!target) return;
    const writing = write(cluster, known, 1000);
    const job = cluster.current.run("switch.sh", cluster.addressOf(target.ordinal));
    const ended = new Promise((resolve) => job.once("exit", resolve));
    await pause(at % 600);
    await target.server.stop("SIGKILL");
    await ended;
    cluster.switchTo(target.ordinal);
    await writing;
    await write(cluster, known, 10);
    for (const server of cluster.servers) if (!server.isRunning) server.start();
    await finishSwitchover(cluster, target.ordinal);
  },

  /** An init container is killed at any moment while it makes a copy of the primary. */
  killInit: async (cluster: MariaCluster, _: Knowledge, at: number) => {
    const { server } = replicaOf(cluster, at) ?? {};
    if (!server) return;
    await server.stop();
    server.writeData(".operator-stale", "");
    const init = server.run("init.sh");
    const ended = new Promise((resolve) => init.once("exit", resolve));
    await pause(at % 300);
    if (init.exitCode === null) process.kill(-init.pid!, "SIGKILL");
    await ended;
  },

  /** The volume of the primary is lost for good: it does not start empty, and a replica takes over, with a warning. */
  losePrimary: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const lost = cluster.primary;
    await cluster.current.stop("SIGKILL");
    cluster.current.empty();
    expect(cluster.pod(lost)).toMatchObject({ code: 3, output: expect.stringContaining("PrimaryDataLost") });
    await failOver(cluster, known, at);
  },

  /** The primary is away, a replica takes over, and the primary comes back. */
  failOver: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const writing = write(cluster, known, 2000);
    await pause(at % 200);
    await cluster.current.stop("SIGKILL");
    await writing;
    await failOver(cluster, known, at);
  },

  save: async (cluster: MariaCluster, known: Knowledge) => {
    await cluster.current.stop();
    const name = `copy-${known.copies.length}`;
    cluster.current.save(name);
    known.copies.push({ name, rows: new Set(known.rows), primary: cluster.primary });
  },

  /** Somebody puts an older copy of the primary's volume back: what came later is lost by that, not in silence. */
  putBack: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const copies = known.copies.filter(({ primary }) => primary === cluster.primary);
    const copy = copies[at % Math.max(copies.length, 1)];
    if (!copy) return;
    const later = [...known.rows].filter((id) => !copy.rows.has(id));
    await cluster.current.stop("SIGKILL");
    cluster.current.putBack(copy.name);
    await cluster.settle();
    // Replicas that have more must say so.
    if (later.length > 0) expect([...cluster.ahead]).toEqual(cluster.replicas);
    known.rows = new Set(copy.rows);
    await write(cluster, known, 1 + (at % 60));
  },

  /** New passwords of replicas, backups and probes, beside writes, which are refused at no time. */
  rotate: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    known.rotations += 1;
    const { app, root } = credentials;
    const annotations = { "data.example.com/rotate": String(known.rotations) };
    const turn = () => {
      const passwords = cluster.keeper.reconcile({ app, root }, annotations);
      for (const server of cluster.servers) cluster.keeper.mount(server);
      return passwords.current;
    };
    const writing = write(cluster, known, at % 500);
    turn();
    expect(cluster.keeper.runJob(cluster.current)).toEqual({ code: 0, output: "" });
    const { replication } = turn();
    expect(await writing).toBe(at % 500);
    for (const ordinal of cluster.replicas) {
      const server = cluster.servers[ordinal]!;
      await eventually(() => !server.isRunning || server.readData("master.info").includes(replication));
    }
    await cluster.clock.advance(3_600_000);
    turn();
    expect(cluster.keeper.runJob(cluster.current)).toEqual({ code: 0, output: "" });
    turn();
  },

  /** Beside writes. What is dumped is the primary's. */
  backUp: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const host = cluster.servers[cluster.replicas.at(-1) ?? 0]!;
    const writing = write(cluster, known, at % 500);
    const { code, output } = host.script("backup.sh", backupJob(cluster));
    await writing;
    expect({ code, output }).toMatchObject({ code: 0 });
  },

  /** Goes back to what was backed up before some writes: those are gone, by the user's will. */
  restore: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const job = backupJob(cluster);
    expect(cluster.current.script("backup.sh", job)).toMatchObject({ code: 0 });
    const rows = new Set(known.rows);
    await write(cluster, known, 1 + (at % 100));
    // The latest backup is the one that was taken last, even if the clock jumped.
    expect(cluster.current.script("restore.sh", { ...job, FILE: "latest" })).toMatchObject({ code: 0 });
    expect(cluster.idsOf(cluster.current)).toEqual(rows);
    known.rows = rows;
  },

  /** A backup that does not fit on the volume: it fails, and the last good one stays. */
  fillBackups: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    await write(cluster, known, 1);
    const whole = () => readdirSync(cluster.backups).filter((name) => name.endsWith(".sql.gz"));
    const before = whole();
    const limit = ["prlimit", `--fsize=${at % 300}`];
    const job = cluster.current.run("backup.sh", backupJob(cluster), limit);
    const [code] = (await once(job, "exit")) as [number | null];
    expect(code).not.toBe(0);
    expect(before).toEqual(expect.arrayContaining(whole()));
    expect(whole().length).toBeGreaterThanOrEqual(Math.min(before.length, 1));
  },

  /**
   * The volume of a server is full in the middle of writes. It is killed, as one that waits for space would wait a minute
   * after that, and starts on the full volume or not. Then the volume grows.
   */
  fillData: async (cluster: MariaCluster, known: Knowledge, at: number) => {
    const ordinal = at % cluster.servers.length;
    const server = cluster.servers[ordinal]!;
    const volume = new SmallVolume(join(cluster.folder.path, `data-${ordinal}`));
    await server.stop();
    try {
      volume.mount();
      await cluster.settle();
      volume.leave((at % 20) * 4096);
      let hasEnded = false;
      const writing = write(cluster, known, 600).finally(() => (hasEnded = true));
      await eventually(() => volume.isFull || hasEnded);
      await pause(at % 300);
      await server.stop("SIGKILL");
      if (cluster.pod(ordinal).code === 0) await pause(at % 500);
      await writing;
      await server.stop("SIGKILL");
      volume.leave(2 ** 30);
      await cluster.settle();
      await server.stop();
    } finally {
      await server.stop("SIGKILL");
      volume.unmount();
    }
  },

  /** The machine's date is set, by up to a year in either direction. */
  jumpClock: async (cluster: MariaCluster, _: Knowledge, at: number) => {
    cluster.setClock((at - 500) * 63_072);
  },
};

/** The variables that the operator passes to the Jobs of backups and restores; few backups are kept. */
function backupJob(cluster: MariaCluster) {
  const names = { BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", DATABASE: "shop" };
  return { ...names, BACKUP_DIR: cluster.backups, KEEP: "2" };
}

/** Which rows were acknowledged: the client prints each after its commit. Returns how many. */
async function write(cluster: MariaCluster, known: Knowledge, count: number): Promise<number> {
  const ids = Array.from({ length: count }, () => (known.nextId += 1));
  const statements = ids.map((id) => `INSERT INTO shop.t VALUES (${id}); SELECT ${id};`);
  const acknowledged = await cluster.current.write(statements.join("\n"));
  for (const line of acknowledged) known.rows.add(Number(line));
  return acknowledged.length;
}
