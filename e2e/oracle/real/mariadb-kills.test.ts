import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DatabaseServer, databaseFolder, databaseServer } from "./database-servers.ts";
import { MariaCluster, root } from "./maria-cluster.ts";
import { mariaFiles } from "./maria-files.ts";
import { chosen, KillableScript } from "./maria-kills.ts";
import type { Knowledge } from "./maria-knowledge.ts";
import { moves } from "./maria-moves.ts";
import { finishSwitchover } from "./maria-switches.ts";

// Each script of the template is killed before its commands, one after the other, and runs again as kubelet or operator
// would run it. Here before a few of them; all with
// npm run lab -- explore --only e2e/oracle/real/mariadb-kills.test.ts --runs 1000 --rounds 1

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: killed scripts of a real MariaDB: mariadb-server is not installed");

describe.skipIf(missing)("a script that is killed, and runs again,", () => {
  const tables = databaseFolder();
  chmodSync(tables.path, 0o777);
  const known: Knowledge = { rows: new Set(), copies: [], nextId: 0, rotations: 0 };
  const cluster = new MariaCluster();
  const logs = join(cluster.folder.path, "logs");

  beforeAll(async () => {
    mkdirSync(logs);
    chmodSync(logs, 0o777);
    await cluster.start(2, tables.path);
  });

  beforeEach(() => moves.write(cluster, known, 10));

  afterAll(async () => {
    await cluster.stop();
    tables.remove();
  });

  test("init.sh of an empty primary makes all system tables", async () => {
    const fresh = await databaseServer(cluster.folder.path, 7, mariaFiles());
    fresh.configure("primary", `7 127.0.0.1 ${fresh.port}`);
    const init = killable(fresh, "init.sh");
    for (const command of chosen(await init.commands(), 10)) {
      fresh.empty();
      await init.killAt(command);
      expectEnd(command, fresh, "init.sh");
      expect(fresh.readData(".operator-initialized").trim()).toBe(fresh.report());
      const made = filesIn(join(cluster.folder.path, "data-7"));
      expect([command, made]).toEqual([command, filesIn(join(tables.path, "made"))]);
    }
  });

  test("init.sh of a primary with data keeps its history", async () => {
    const again = await databaseServer(cluster.folder.path, 8, mariaFiles());
    again.configure("primary", `8 127.0.0.1 ${again.port}`);
    expectEnd("", again, "init.sh");
    const history = again.report();
    again.configure("initialized", history);
    const init = killable(again, "init.sh");
    for (const command of chosen(await init.commands(), 10)) {
      await init.killAt(command);
      expectEnd(command, again, "init.sh");
      expect(again.report()).toBe(history);
    }
  });

  test("init.sh of a replica makes a whole copy", async () => {
    const replica = cluster.servers[1]!;
    const init = killable(replica, "init.sh");
    const seedAnew = async () => {
      await replica.stop("SIGKILL");
      replica.writeData(".operator-stale", "");
    };
    await seedAnew();
    for (const command of chosen(await init.commands(), 4)) {
      await seedAnew();
      await init.killAt(command);
      expect(await settle(command)).toEqual(whole(command));
    }
  });

  test("init.sh that upgrades the system tables keeps the data", async () => {
    const primary = cluster.current;
    const init = killable(primary, "init.sh");
    const downgrade = async () => {
      await primary.stop();
      primary.writeData(".operator-version", "mariadb 10.6\n");
    };
    await downgrade();
    for (const command of chosen(await init.commands(), 2)) {
      await downgrade();
      await init.killAt(command);
      expectEnd(command, primary, "init.sh");
      expect(await settle(command)).toEqual(whole(command));
      expect([command, primary.readData(".operator-version")]).toEqual([command, "mariadb 10.11\n"]);
    }
  });

  test.each(["replica", "primary"])("start.sh of a %s serves what it had", async (role) => {
    const server = role === "primary" ? cluster.current : cluster.servers[cluster.replicas[0]!]!;
    const start = killable(server, "start.sh");
    const isReady = () => server.script("ready.sh").code === 0;
    await server.stop();
    for (const command of chosen(await start.commands(isReady), 4)) {
      await server.stop();
      await start.killAt(command, isReady);
      server.start();
      expect(await settle(command)).toEqual(whole(command));
    }
  });

  test("backup.sh leaves no broken backup, and deletes no good one before", async () => {
    const job = { BACKUP_DIR: cluster.backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", KEEP: "2" };
    const server = cluster.servers[cluster.replicas[0]!]!;
    const backup = killable(server, "backup.sh", { ...job, DATABASE: "shop" });
    for (const command of chosen(await backup.commands(), 15)) {
      const before = backups();
      await backup.killAt(command);
      expect([command, backups().length]).toEqual([command, expect.toSatisfy((count) => count >= 1)]);
      expect([command, backups().at(-1)! >= before.at(-1)!]).toEqual([command, true]);
      expectEnd(command, server, "backup.sh", { ...job, DATABASE: "shop" });
      expect([command, backups().length <= 2]).toEqual([command, true]);
    }
  });

  test("restore.sh loads all of the backup", async () => {
    const job = { BACKUP_DIR: cluster.backups, BACKUP_NAME: "whole", BACKUP_HOST: "127.0.0.1" };
    expectEnd("", cluster.current, "backup.sh", { ...job, DATABASE: "shop" });
    const restore = { ...job, FILE: "latest" };
    const script = killable(cluster.current, "restore.sh", restore);
    for (const command of chosen(await script.commands(), 4)) {
      cluster.current.sql("DELETE FROM shop.t", root);
      await script.killAt(command);
      expectEnd(command, cluster.current, "restore.sh", restore);
      expect(await settle(command)).toEqual(whole(command));
    }
  });

  test("switch.sh loses no row, and is finished if it has begun", async () => {
    const commandsOf = async () => {
      const target = cluster.replicas[0]!;
      const switchOver = killable(cluster.current, "switch.sh", cluster.addressOf(target));
      const commands = await switchOver.commands();
      await finish(target);
      return commands;
    };
    const finish = async (target: number) => {
      await finishSwitchover(cluster, target);
      await cluster.settle();
    };
    for (const command of chosen(await commandsOf(), 4)) {
      const target = cluster.replicas[0]!;
      await killable(cluster.current, "switch.sh", cluster.addressOf(target)).killAt(command);
      for (const server of cluster.servers) if (!server.isRunning) server.start();
      const hasBegun = cluster.current.hasData(".operator-drained");
      const before = known.rows.size;
      await moves.write(cluster, known, 0);
      expect([command, hasBegun || known.rows.size === before + 1]).toEqual([command, true]);
      await finish(target);
      await moves.write(cluster, known, 3);
      expect(await settle(command)).toEqual(whole(command));
    }
  });

  function killable(server: DatabaseServer, name: string, more: Record<string, string> = {}) {
    return new KillableScript(logs, server, name, more);
  }

  function expectEnd(command: string, server: DatabaseServer, name: string, more = {}): void {
    expect({ command, ...server.script(name, more) }).toMatchObject({ command, code: 0 });
  }

  /** Waits until everything is ready and agrees; tells which acknowledged rows are missing. */
  async function settle(command: string) {
    await cluster.settle();
    const present = cluster.idsOf(cluster.current);
    const lost = [...known.rows].filter((id) => !present.has(id));
    return { command, lost, ahead: [...cluster.ahead] };
  }

  function whole(command: string) {
    return { command, lost: [], ahead: [] };
  }

  /** Complete backups by their name, the oldest first; each must be whole. */
  function backups(): string[] {
    const names = readdirSync(cluster.backups).filter((name) => /^db-.*\.gz$/.test(name));
    for (const name of names) {
      const text = gunzipSync(readFileSync(join(cluster.backups, name))).toString();
      expect([name, text.includes("-- Dump completed")]).toEqual([name, true]);
    }
    return names.toSorted();
  }
});

/** Names and sizes of all files, but the marks of the scripts. */
function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const tables = files.filter((name) => !name.startsWith("."));
  return tables.map((name) => `${name} ${statSync(join(folder, name)).size}`).toSorted();
}
