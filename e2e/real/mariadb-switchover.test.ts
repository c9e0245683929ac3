import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Who is primary: switchovers by the scripts of the template, with Debian's MariaDB.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: switchovers of a real MariaDB: mariadb-server is not installed");

const root = { name: "root", password: credentials.root };

describe.skipIf(missing)("a switchover", () => {
  let folder: ReturnType<typeof databaseFolder>;
  let servers: [DatabaseServer, DatabaseServer, DatabaseServer];

  beforeEach(async () => {
    folder = databaseFolder();
    const primary = await databaseServer(folder.path, 0, mariaFiles());
    const first = await databaseServer(folder.path, 1, mariaFiles(), primary.port);
    servers = [primary, first, await databaseServer(folder.path, 2, mariaFiles(), primary.port)];
    await startServers(...servers);
    run(primary, "CREATE TABLE shop.t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)");
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
      expect(acknowledged.length).toBeGreaterThan(50);
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

  test("to a replica that does not follow is refused, and writes go on", () => {
    const [zero, one] = servers;
    run(one, "STOP SLAVE SQL_THREAD");
    expect(switchTo(one).code).toBe(1);
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
    expect(switchTo(one).code).toBe(1);
    expect(zero.report()).toMatch(
      /^the primary does not answer: what it wrote after GTID 0-\d+-\d+ would be lost$/,
    );
    const loss = { ALLOW_LOSS: "true" };
    expect(switchTo(one, { ...loss, OTHER_HOSTS: `127.0.0.1:${two.port}` }).code).toBe(1);
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
    const target = { TARGET_HOST: "127.0.0.1", TARGET_PORT: String(server.port) };
    return servers[0].script("switch.sh", { ...target, ...more });
  }

  function count(server: DatabaseServer): string {
    return run(server, "SELECT COUNT(*) FROM shop.t");
  }
});

function run(server: DatabaseServer, statement: string): string {
  const { code, output } = server.sql(statement, root);
  if (code !== 0) throw new Error(output);
  return output;
}
