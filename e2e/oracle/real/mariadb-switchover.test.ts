import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Switchovers of the primary by the scripts of the template, with Debian's MariaDB.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: switchovers of a real MariaDB: mariadb-server is not installed");

const root = { name: "root", password: credentials.root };

describe.skipIf(missing)("a switchover", () => {
  let folder: ReturnType<typeof databaseFolder>;
  let servers: [DatabaseServer, DatabaseServer, DatabaseServer];

  beforeEach(async () => {
    folder = databaseFolder();
    // Settings that change what statements mean, or what they may do.
    const files = mariaFiles({ config: { sql_mode: "ANSI_QUOTES", secure_file_priv: "/var/tmp" } });
    const primary = await databaseServer(folder.path, 0, files);
    const first = await databaseServer(folder.path, 1, files, primary.port);
    servers = [primary, first, await databaseServer(folder.path, 2, files, primary.port)];
    await startServers(...servers);
    run(primary, "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
    for (const replica of [first, servers[2]]) await eventually(() => count(replica) === "0");
  });

  afterEach(async () => {
    for (const server of servers.toReversed()) await server.stop();
    folder.remove();
  });

  test("under load loses no row that was acknowledged, and its way back neither", async () => {
    const [zero, one, two] = servers;
    for (const [from, to, ordinal] of [
      [zero, one, 1],
      [one, zero, 0],
    ] as const) {
      const statements = Array.from(
        { length: 20_000 },
        () => "INSERT INTO shop.t (v) VALUES (1); SELECT LAST_INSERT_ID();",
      );
      const writing = from.write(statements.join("\n"));
      await eventually(() => Number(run(from, "SELECT COUNT(*) FROM shop.t")) > 50);
      expect(switchTo(to)).toMatchObject({ code: 0 });
      const acknowledged = await writing;
      // The last rows that were counted may not have been acknowledged.
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(acknowledged.length).toBeLessThan(20_000);
      expect(run(to, `SELECT COUNT(*) FROM shop.t WHERE id IN (${acknowledged.join(",")})`)).toBe(
        String(acknowledged.length),
      );
      expect(await from.ended()).toBe(0);

      // The old primary starts again before it has heard of the change: it takes no writes.
      from.start();
      await eventually(() => run(from, "SELECT @@read_only") === "1");
      expect(from.script("ready.sh").code).not.toBe(0);
      for (const server of servers) server.configure("primary", `${ordinal} 127.0.0.1 ${to.port}`);
      run(to, "INSERT INTO shop.t (v) VALUES (2)");
      for (const server of [from, two]) {
        await server.ready();
        await eventually(() => run(server, "CHECKSUM TABLE shop.t") === run(to, "CHECKSUM TABLE shop.t"));
      }
      await eventually(() => to.script("ready.sh").code === 0);
    }
    await zero.stop();
    zero.start();
    await zero.ready();
  });

  test("can be repeated, and a new primary that restarts before it is recorded stays primary", async () => {
    const [zero, one] = servers;
    expect(switchTo(one)).toMatchObject({ code: 0 });
    await zero.ended();
    expect(switchTo(one)).toMatchObject({ code: 0 });
    await one.stop();
    one.start();
    await one.ready();
    expect(one.sql("INSERT INTO shop.t (v) VALUES (1)").code).toBe(0);
  });

  test("that is killed while it waits lets writes go on", async () => {
    const [zero, one] = servers;
    await eventually(() => count(one) === "0");
    run(one, "STOP SLAVE SQL_THREAD");
    run(zero, "INSERT INTO shop.t (v) VALUES (1)");
    const locking = one.load("LOCK TABLES shop.t READ; SELECT SLEEP(300)", root);
    await eventually(() => run(one, "SHOW PROCESSLIST").includes("SLEEP(300)"));
    run(one, "START SLAVE");
    await eventually(() => /\tYes\tYes\t/.test(run(one, "SHOW SLAVE STATUS")));
    const job = zero.run("switch.sh", target(one));
    const ended = new Promise((resolve) => job.once("exit", resolve));
    await eventually(() => run(one, "SHOW PROCESSLIST").includes("MASTER_GTID_WAIT"));
    process.kill(-job.pid!, "SIGKILL");
    await ended;
    expect(zero.sql("INSERT INTO shop.t (v) VALUES (2)")).toMatchObject({ code: 0 });
    expect(zero.script("ready.sh")).toMatchObject({ code: 0 });
    run(
      one,
      `KILL ${run(one, "SELECT id FROM information_schema.processlist WHERE info LIKE '%SLEEP(300)'")}`,
    );
    await locking;
  });

  test("whose target dies before it is primary lets nobody write to the old primary, and can be finished", async () => {
    const [zero, one, two] = servers;
    run(zero, "INSERT INTO shop.t (v) VALUES (1)");
    await eventually(() => count(one) === "1");
    // Its mark is written by a statement on the command line; those that promote it come by standard input.
    mkdirSync(join(folder.path, "bin"));
    const client = join(folder.path, "bin", "mariadb");
    const dying = `[[ "$*" != *--port=${one.port}* || "$*" = *--execute* ]] || kill -9 $(cat ${folder.path}/run-1/mysqld.pid)`;
    writeFileSync(client, `#!/usr/bin/env bash\n${dying}\nPATH="\${PATH#*:}" exec mariadb "$@"\n`, {
      mode: 0o755,
    });
    expect(switchTo(one).code).toBe(1);
    rmSync(client);
    await eventually(() => !one.isRunning);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(zero.sql("INSERT INTO shop.t (v) VALUES (2)").output).toContain("1290");
      expect(switchTo(one).code).toBe(1);
    }
    one.start();
    await one.ready();
    expect(switchTo(one)).toMatchObject({ code: 0 });
    await zero.ended();
    for (const server of servers) server.configure("primary", `1 127.0.0.1 ${one.port}`);
    zero.start();
    run(one, "INSERT INTO shop.t (v) VALUES (3)");
    for (const server of [zero, two]) {
      await server.ready();
      await eventually(() => run(server, "CHECKSUM TABLE shop.t") === run(one, "CHECKSUM TABLE shop.t"));
    }
  });

  test("to a replica that does not follow is refused, and writes go on", () => {
    const [zero, one] = servers;
    run(one, "STOP SLAVE SQL_THREAD");
    expect(switchTo(one).code).toBe(7);
    expect(zero.report()).toMatch(/does not follow the primary: the SQL thread is not running$/);
    expect(zero.sql("INSERT INTO shop.t (v) VALUES (1)").code).toBe(0);
  });

  test("without the primary is refused, says from where on writes would be lost, and takes the most advanced replica", async () => {
    const [zero, one, two] = servers;
    run(zero, "INSERT INTO shop.t (v) VALUES (1)");
    for (const replica of [one, two]) await eventually(() => count(replica) === "1");
    run(one, "STOP SLAVE");
    run(zero, "INSERT INTO shop.t (v) VALUES (2)");
    await eventually(() => count(two) === "2");
    await zero.stop("SIGKILL");
    run(one, "START SLAVE");
    expect(switchTo(one).code).toBe(7);
    expect(zero.report()).toMatch(
      /^the primary does not answer: what it wrote after GTID 0-\d+-\d+ would be lost$/,
    );
    const loss = { ALLOW_LOSS: "true" };
    expect(switchTo(one, { ...loss, OTHER_HOSTS: `127.0.0.1:${two.port}` }).code).toBe(7);
    expect(zero.report()).toContain("has received more than");
    expect(switchTo(two, { ...loss, OTHER_HOSTS: `127.0.0.1:${one.port}` })).toMatchObject({ code: 0 });
    for (const server of servers) server.configure("primary", `2 127.0.0.1 ${two.port}`);
    await eventually(() => count(one) === "2");
    await one.ready();
  });

  test("without the primary keeps what only that one has: it comes back as a replica that is ahead", async () => {
    const [zero, one, two] = servers;
    for (const replica of [one, two]) run(replica, "STOP SLAVE IO_THREAD");
    run(zero, "INSERT INTO shop.t (v) VALUES (1)");
    await zero.stop("SIGKILL");
    expect(switchTo(one, { ALLOW_LOSS: "true", OTHER_HOSTS: `127.0.0.1:${two.port}` })).toMatchObject({
      code: 0,
    });
    for (const server of servers) server.configure("primary", `1 127.0.0.1 ${one.port}`);
    zero.start();
    await zero.ended();
    zero.start();
    expect(await zero.ended()).toBe(5);
  });

  function switchTo(server: DatabaseServer, more: Record<string, string> = {}) {
    return servers[0].script("switch.sh", { ...target(server), ...more });
  }

  function count(server: DatabaseServer): string {
    return run(server, "SELECT COUNT(*) FROM shop.t");
  }
});

function target({ port }: DatabaseServer) {
  return { TARGET_HOST: "127.0.0.1", TARGET_PORT: String(port) };
}

function run(server: DatabaseServer, statement: string): string {
  const { code, output } = server.sql(statement, root);
  if (code !== 0) throw new Error(output);
  return output;
}
