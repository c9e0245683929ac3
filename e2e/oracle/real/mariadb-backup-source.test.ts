import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// The choice of a backup's source server, by the scripts of the template, with Debian's MariaDB.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: sources of backups of a real MariaDB: mariadb-server is not installed");

const root = { name: "root", password: credentials.root };

describe.skipIf(missing)("a backup", () => {
  const folder = databaseFolder();
  const backups = join(folder.path, "backups");
  let primary: DatabaseServer;
  let replica: DatabaseServer;
  let row = 0;

  beforeAll(async () => {
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    primary = await databaseServer(folder.path, 0, mariaFiles());
    replica = await databaseServer(folder.path, 1, mariaFiles(), primary.port);
    await startServers(primary, replica);
    run(primary, "CREATE TABLE shop.t (word VARCHAR(20))");
  });

  beforeEach(async () => {
    run(replica, "STOP SLAVE; CHANGE MASTER TO MASTER_DELAY=0; START SLAVE");
    await caughtUp();
    await replica.ready();
    row += 1;
  });

  afterAll(async () => {
    for (const server of [replica, primary]) await server?.stop();
    folder.remove();
  });

  test("of a replica in sync is the replica's, and has its position", () => {
    const { output } = backUp();
    expect(output).not.toContain("does not follow");
    expect(output).toContain(` at ${run(replica, "SELECT @@gtid_binlog_pos")}\n`);
  });

  test.each([
    ["applies nothing", "STOP SLAVE SQL_THREAD", /Yes\tNo/],
    ["reads nothing", "STOP SLAVE IO_THREAD", /No\tYes/],
    ["does neither", "STOP SLAVE", /No\tNo/],
    [
      "is far behind",
      "STOP SLAVE; CHANGE MASTER TO MASTER_DELAY=100000; START SLAVE",
      /Waiting until MASTER_DELAY/,
    ],
  ])("of a replica that %s is the primary's, with its newest rows", async (_, trouble, state) => {
    run(replica, trouble);
    const old = "SET timestamp = UNIX_TIMESTAMP() - 600";
    run(primary, `${old}; INSERT INTO shop.t VALUES ('row ${row}')`);
    await eventually(() => expect(run(replica, "SHOW SLAVE STATUS")).toMatch(state));
    expect(run(replica, "SELECT COUNT(*) FROM shop.t")).not.toBe(run(primary, "SELECT COUNT(*) FROM shop.t"));
    const { output } = backUp();
    expect(output).toContain("does not follow the primary");
    expect(output).toContain(` at ${run(primary, "SELECT @@gtid_binlog_pos")}\n`);
    expect(newest()).toContain(`row ${row}`);
  });

  test("of a server that is down is the primary's, and fails without both", async () => {
    await replica.stop();
    expect(backUp().output).toContain("does not follow the primary");
    await primary.stop();
    const whole = () => readdirSync(backups).filter((name) => !name.endsWith(".part"));
    const before = whole();
    expect(tryBackUp().code).not.toBe(0);
    expect(whole()).toEqual(before);
  });

  async function caughtUp(): Promise<void> {
    const position = run(primary, "SELECT @@gtid_binlog_pos");
    await eventually(() => expect(run(replica, "SELECT @@gtid_slave_pos")).toBe(position));
  }

  function tryBackUp() {
    const job = { BACKUP_DIR: backups, BACKUP_NAME: `db${row}`, BACKUP_HOST: "127.0.0.1", DATABASE: "shop" };
    return replica.script("backup.sh", job);
  }

  function backUp() {
    const result = tryBackUp();
    expect(result).toMatchObject({ code: 0 });
    return result;
  }

  function newest(): string {
    const file = readdirSync(backups).find((name) => name.startsWith(`db${row}-`))!;
    return gunzipSync(readFileSync(join(backups, file))).toString("utf8");
  }
});

function run(server: DatabaseServer, statement: string): string {
  const { code, output } = server.sql(statement, root);
  if (code !== 0) throw new Error(output);
  return output;
}
