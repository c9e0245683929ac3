import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Maria } from "../golden/maria-operator/api/v1/maria_types.ts";
import { configSecretFor, serverFiles } from "../golden/maria-operator/src/controller/maria_config.ts";
import { APP_PASSWORD, databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";

// The very scripts and configuration that the MySQL template ships, with Debian's MariaDB as real processes.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: real MariaDB processes: mariadb-server is not installed");

const credentials = {
  app: APP_PASSWORD,
  root: "root-password",
  replication: "repl'ication\\",
  backup: "backup-password",
  probe: "probe-password",
};
const maria = {
  apiVersion: Maria.apiVersion,
  kind: Maria.kind,
  metadata: { name: "db", namespace: "default" },
  spec: {
    username: "app",
    database: "shop",
    config: { innodb_buffer_pool_size: "32M", bind_address: "127.0.0.1" },
  },
};

describe.skipIf(missing)("the scripts of the MySQL template", () => {
  const folder = databaseFolder();
  let primary: DatabaseServer;
  let replica: DatabaseServer;
  let backups: string;

  beforeAll(async () => {
    primary = await databaseServer(folder.path, 0, files());
    replica = await databaseServer(folder.path, 1, files(), primary.port);
    backups = join(folder.path, "backups");
    mkdirSync(backups, { mode: 0o777 });
    spawnSync("chmod", ["777", backups]);
    primary.script("init.sh");
    primary.start();
    await primary.ready();
  });

  afterAll(async () => {
    await replica?.stop();
    await primary?.stop();
    folder.remove();
  });

  test("the primary knows its users, with passwords that need escaping", () => {
    expect(primary.sql("CREATE TABLE shop.t (id INT PRIMARY KEY, v INT)").code).toBe(0);
    expect(primary.sql("INSERT INTO shop.t VALUES (1, 100), (2, 100)").code).toBe(0);
    expect(primary.sql("CREATE DATABASE other").output).toContain("1044");
    expect(primary.sql("SELECT 1", { name: "app", password: "wrong" }).output).toContain("1045");
  });

  test("a replica starts as a copy, follows, and takes no writes", async () => {
    expect(replica.script("init.sh")).toMatchObject({ code: 0 });
    replica.start();
    await replica.ready();
    primary.sql("INSERT INTO shop.t VALUES (3, 100)");
    await eventually(() => expect(replica.sql("SELECT COUNT(*) FROM shop.t").output).toBe("3"));
    expect(replica.sql("INSERT INTO shop.t VALUES (9, 9)").output).toContain("1290");
    await sameTables();
  });

  test("a replica that was away catches up by itself", async () => {
    await replica.stop();
    primary.sql("INSERT INTO shop.t VALUES (4, 100)");
    replica.start();
    await replica.ready();
    await eventually(() => expect(replica.sql("SELECT COUNT(*) FROM shop.t").output).toBe("4"));
  });

  test("a replica stays ready while the primary is down, and is not while its SQL thread stands", async () => {
    await primary.stop();
    expect(primary.script("ready.sh").code).not.toBe(0);
    await eventually(() => expect(replica.script("ready.sh")).toMatchObject({ code: 0 }));
    primary.start();
    await primary.ready();
    root(replica, "STOP SLAVE SQL_THREAD");
    expect(replica.script("ready.sh")).toMatchObject({ code: 1, output: "the SQL thread stands still\n" });
    root(replica, "START SLAVE");
    await replica.ready();
  });

  test("a backup under load is one moment, and restores what was lost, replicas included", async () => {
    const transfers = Array.from({ length: 2000 }, (_, i) => {
      const [from, to] = i % 2 === 0 ? [1, 2] : [2, 1];
      return `START TRANSACTION; UPDATE shop.t SET v = v - 1 WHERE id = ${from}; UPDATE shop.t SET v = v + 1 WHERE id = ${to}; COMMIT;`;
    }).join(" ");
    const writing = primary.load(transfers);
    expect(backUp()).toMatchObject({ code: 0 });
    expect(await writing).toBe(0);
    primary.sql("DROP TABLE shop.t");
    expect(restore("latest")).toMatchObject({ code: 0 });
    expect(primary.sql("SELECT SUM(v) FROM shop.t").output).toBe("400");
    await eventually(() => expect(replica.sql("SELECT SUM(v) FROM shop.t").output).toBe("400"));
  });

  test("a backup that fails leaves no file that looks like one", () => {
    const before = readdirSync(backups).filter((name) => name.endsWith(".gz"));
    expect(backUp({ BACKUP_HOST: "127.0.0.1", PORT: "1" }).code).not.toBe(0);
    expect(readdirSync(backups).filter((name) => name.endsWith(".gz"))).toEqual(before);
  });

  test("only the newest backups are kept", () => {
    for (const time of ["20200101T000000Z", "20200102T000000Z", "20200103T000000Z"]) {
      writeFileSync(join(backups, `db-${time}.sql.gz`), "");
    }
    expect(backUp({ KEEP: "2" })).toMatchObject({ code: 0 });
    const left = readdirSync(backups).filter((name) => name.endsWith(".gz"));
    expect(left).toHaveLength(2);
    expect(left).not.toContain("db-20200101T000000Z.sql.gz");
    expect(left).not.toContain("db-20200102T000000Z.sql.gz");
  });

  test("a backup that is absent or cut off is refused before anything is written", () => {
    expect(restore("none.sql.gz")).toMatchObject({ code: 1 });
    writeFileSync(join(backups, "db-cut.sql.gz"), Buffer.from("1f8b0800", "hex"));
    expect(restore("db-cut.sql.gz").code).not.toBe(0);
    expect(primary.sql("SELECT SUM(v) FROM shop.t").output).toBe("400");
  });

  test("new passwords come with a restart, and leave the log's position alone", async () => {
    const position = root(primary, "SELECT @@gtid_binlog_pos");
    await primary.stop();
    const rotated = serverFiles(maria, { ...credentials, app: "second" });
    primary.configure("init.sql", rotated["init.sql"]);
    primary.start();
    await primary.ready();
    expect(primary.sql("SELECT 1").output).toContain("1045");
    expect(primary.sql("SELECT 1", { name: "app", password: "second" }).code).toBe(0);
    expect(root(primary, "SELECT @@gtid_binlog_pos")).toBe(position);
  });

  test("a primary whose data is gone does not start from nothing, unless it is told to", async () => {
    await primary.stop();
    rmSync(primary.data, { recursive: true });
    mkdirSync(primary.data);
    spawnSync("chown", ["mysql", primary.data]);
    primary.configure("initialized", "true");
    expect(primary.script("init.sh")).toMatchObject({
      code: 3,
      output: expect.stringContaining("PrimaryDataLost"),
    });
    primary.configure("allow-reinit", "true");
    expect(primary.script("init.sh")).toMatchObject({ code: 0 });
  });

  function backUp(more: Record<string, string> = {}) {
    const job = { BACKUP_DIR: backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", DATABASE: "shop" };
    return primary.script("backup.sh", { ...job, ...more });
  }

  function restore(file: string) {
    return primary.script("restore.sh", { BACKUP_DIR: backups, BACKUP_NAME: "db", FILE: file });
  }

  function root(server: DatabaseServer, statement: string): string {
    const { code, output } = server.sql(statement, { name: "root", password: credentials.root });
    if (code !== 0) throw new Error(output);
    return output;
  }

  async function sameTables(): Promise<void> {
    const checksum = (server: DatabaseServer): string => root(server, "CHECKSUM TABLE shop.t");
    await eventually(() => expect(checksum(replica)).toBe(checksum(primary)));
  }
});

/** The files of the config Secret, as the kubelet would write them. */
function files(): Record<string, string> {
  const { data = {} } = configSecretFor(maria, serverFiles(maria, credentials));
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      Buffer.from(String(value), "base64").toString("utf8"),
    ]),
  );
}
