import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// The scripts and the configuration of the MySQL template, with Debian's MariaDB as real processes.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: real MariaDB processes: mariadb-server is not installed");

describe.skipIf(missing)("the scripts of the MySQL template", () => {
  const folder = databaseFolder();
  let primary: DatabaseServer;
  let replica: DatabaseServer;
  let second: DatabaseServer;

  beforeAll(async () => {
    primary = await databaseServer(folder.path, 0, mariaFiles());
    replica = await databaseServer(folder.path, 1, mariaFiles(), primary.port);
    second = await databaseServer(folder.path, 2, mariaFiles(), primary.port);
    await startServers(primary);
    for (const server of [replica, second]) server.configure("initialized", primary.report());
  });

  afterAll(async () => {
    for (const server of [second, replica, primary]) await server?.stop();
    folder.remove();
  });

  test("the primary creates its users, with passwords that need escaping", () => {
    expect(primary.sql("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)").code).toBe(0);
    expect(primary.sql("INSERT INTO shop.t VALUES (1, 100), (2, 100)").code).toBe(0);
    expect(primary.sql("CREATE DATABASE other").output).toContain("1044");
    expect(primary.sql("SELECT 1", { name: "app", password: "wrong" }).output).toContain("1045");
  });

  test("replicas start as copies, replicate, and are read-only", async () => {
    for (const server of [replica, second]) {
      expect(server.script("init.sh")).toMatchObject({ code: 0 });
      server.start();
      await server.ready();
    }
    primary.sql("INSERT INTO shop.t VALUES (3, 100)");
    for (const server of [replica, second]) {
      await eventually(() => expect(server.sql("SELECT COUNT(*) FROM shop.t").output).toBe("3"));
      expect(server.sql("INSERT INTO shop.t VALUES (9, 9)").output).toContain("1290");
    }
    await sameTables();
  });

  test("a replica that was stopped catches up", async () => {
    await replica.stop();
    primary.sql("INSERT INTO shop.t VALUES (4, 100)");
    replica.start();
    await replica.ready();
    await eventually(() => expect(replica.sql("SELECT COUNT(*) FROM shop.t").output).toBe("4"));
  });

  test("a replica is ready while the primary is down, but not while its SQL thread is stopped", async () => {
    await primary.stop();
    expect(primary.script("ready.sh").code).not.toBe(0);
    for (const server of [replica, second]) {
      await eventually(() => expect(server.script("ready.sh")).toMatchObject({ code: 0 }));
    }
    primary.start();
    await primary.ready();
    root(replica, "STOP SLAVE SQL_THREAD");
    expect(replica.script("ready.sh")).toMatchObject({ code: 1, output: "the SQL thread is not running\n" });
    root(replica, "START SLAVE");
    await replica.ready();
  });

  test("passwords take effect at a start, and are not written to the binary log", async () => {
    const number = () => Number(root(primary, "SELECT @@gtid_binlog_pos").split("-")[2]);
    const before = number();
    await primary.stop();
    const rotated = mariaFiles({}, { ...credentials, app: "second" });
    primary.configure("passwords.sql", rotated["passwords.sql"]);
    primary.start();
    await primary.ready();
    expect(primary.sql("SELECT 1").output).toContain("1045");
    expect(primary.sql("SELECT 1", { name: "app", password: "second" }).code).toBe(0);
    // Each run of a primary writes one empty transaction.
    expect(number()).toBe(before + 1);
  });

  test("a replica that needs purged binary logs exits with a message, and does not start again", async () => {
    await second.stop();
    root(
      primary,
      "INSERT INTO shop.t VALUES (5, 100); FLUSH BINARY LOGS; INSERT INTO shop.t VALUES (6, 100)",
    );
    // Only logs that all connected replicas have read can be purged.
    await eventually(() => expect(root(replica, "SELECT COUNT(*) FROM shop.t")).toBe("6"));
    root(primary, "FLUSH BINARY LOGS");
    await eventually(() => {
      root(primary, `PURGE BINARY LOGS TO '${root(primary, "SHOW MASTER STATUS").split("\t")[0]}'`);
      expect(root(primary, "SHOW BINARY LOGS").split("\n")).toHaveLength(1);
    });
    second.start();
    expect(await second.ended()).toBe(0);
    expect(second.script("start.sh")).toMatchObject({
      code: 4,
      output: expect.stringContaining("ReplicaStale"),
    });
    // A new pod of it starts as a copy.
    expect(second.script("init.sh")).toMatchObject({ code: 0 });
    second.start();
    await second.ready();
    expect(root(second, "SELECT COUNT(*) FROM shop.t")).toBe("6");
  });

  test("a primary that lost its data does not start empty unless that is allowed", async () => {
    await primary.stop();
    primary.empty();
    const rows = root(replica, "SELECT COUNT(*) FROM shop.t");
    expect(primary.script("init.sh")).toMatchObject({
      code: 3,
      output: expect.stringContaining("PrimaryDataLost"),
    });
    expect(root(replica, "SELECT COUNT(*) FROM shop.t")).toBe(rows);
    primary.configure("allow-reinit", "true");
    // An unfinished initialization is not served the next time.
    mkdirSync(join(folder.path, "bin"));
    const program = join(folder.path, "bin", "mariadb-install-db");
    writeFileSync(program, "#!/usr/bin/env bash\nexit 137\n", { mode: 0o755 });
    expect(primary.script("init.sh")).toMatchObject({ code: 137 });
    rmSync(program);
    expect(primary.script("init.sh")).toMatchObject({ code: 0 });
    primary.start();
    await primary.ready();
  });

  function root(server: DatabaseServer, statement: string): string {
    const { code, output } = server.sql(statement, { name: "root", password: credentials.root });
    if (code !== 0) throw new Error(output);
    return output;
  }

  async function sameTables(): Promise<void> {
    const checksum = (server: DatabaseServer): string => root(server, "CHECKSUM TABLE shop.t");
    for (const server of [replica, second]) {
      await eventually(() => expect(checksum(server)).toBe(checksum(primary)));
    }
  }
});
