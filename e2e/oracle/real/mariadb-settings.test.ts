import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";
import { mariaFiles } from "./maria-files.ts";

// Settings of the template where the server's own defaults would lose data, on Debian's MariaDB as real processes.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: settings of a real MariaDB: mariadb-server is not installed");

const greeting = "Привет 🐬";
const day = 24 * 3600;

describe.skipIf(missing)("the settings of the MySQL template", () => {
  const folder = databaseFolder();
  const backups = join(folder.path, "backups");
  let primary: DatabaseServer;
  let replica: DatabaseServer;
  let other: DatabaseServer;

  beforeAll(async () => {
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    primary = await serverFor("primary", 0, {});
    replica = await serverFor("replica", 1, {}, primary.port);
    other = await serverFor("other", 0, {
      config: { character_set_server: "latin1", sync_binlog: "0", "binlog-expire-logs-seconds": "60" },
    });
    for (const server of [primary, other]) await start(server);
  });

  afterAll(async () => {
    for (const server of [replica, other, primary]) await server?.stop();
    folder.remove();
  });

  test("text in all scripts is read back unchanged from the primary, a replica and a backup", async () => {
    ask(primary, "CREATE TABLE shop.`слова` (word VARCHAR(40) UNIQUE)");
    ask(primary, `INSERT INTO shop.\`слова\` VALUES ('${greeting}')`);
    replica.configure("initialized", primary.report());
    await start(replica);
    ask(primary, `INSERT INTO shop.\`слова\` VALUES ('${greeting}!')`);
    const question = "SELECT word, CHAR_LENGTH(word), HEX(word) FROM shop.`слова` ORDER BY word";
    const rows = [greeting, `${greeting}!`].map((word) => {
      const hex = Buffer.from(word).toString("hex").toUpperCase();
      return `${word}\t${Array.from(word).length}\t${hex}`;
    });
    expect(ask(primary, question)).toBe(rows.join("\n"));
    await eventually(() => expect(ask(replica, question)).toBe(rows.join("\n")));

    const job = { BACKUP_DIR: backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", FILE: "latest" };
    expect(primary.script("backup.sh", { ...job, DATABASE: "shop" })).toMatchObject({ code: 0 });
    expect(other.script("restore.sh", job)).toMatchObject({ code: 0 });
    expect(ask(other, question)).toBe(rows.join("\n"));
  });

  test("committed transactions are synced to the binary log on disk", () => {
    expect(ask(primary, "SELECT @@sync_binlog, @@innodb_flush_log_at_trx_commit")).toBe("1\t1");
  });

  test("binary logs older than four days are purged when the next one begins", async () => {
    const [old] = logsOf(primary);
    ask(primary, "FLUSH BINARY LOGS");
    expect(logsOf(primary)).toContain(old);
    const then = Date.now() / 1000 - 4 * day;
    utimesSync(join(folder.path, "primary", "data-0", old!), then, then);
    // A binary log that a replica still reads is kept.
    await eventually(() => {
      ask(primary, "FLUSH BINARY LOGS");
      expect(logsOf(primary)).not.toContain(old);
    });
    expect(logsOf(primary).length).toBeGreaterThan(1);
  });

  test("a binary log is rotated long before it fills the smallest volume", () => {
    expect(Number(ask(primary, "SELECT @@max_binlog_size"))).toBeLessThanOrEqual(2 ** 27);
  });

  test("settings of the spec override each of them", () => {
    const question = "SELECT @@character_set_server, @@sync_binlog, @@binlog_expire_logs_seconds";
    expect(ask(other, question)).toBe("latin1\t0\t60");
  });

  function serverFor(
    name: string,
    ordinal: number,
    spec: MariaSpec,
    primaryPort?: number,
  ): Promise<DatabaseServer> {
    return databaseServer(join(folder.path, name), ordinal, mariaFiles(spec), primaryPort);
  }

  async function start(server: DatabaseServer): Promise<void> {
    expect(server.script("init.sh")).toMatchObject({ code: 0 });
    server.start();
    await server.ready();
  }
});

/** Runs queries as the template's scripts do, in a container without a locale. */
function ask(server: DatabaseServer, statement: string): string {
  server.configure("ask.sh", askScript);
  const { code, output } = server.script("ask.sh", { STATEMENT: statement });
  if (code !== 0) throw new Error(output);
  return output.trim();
}

function logsOf(server: DatabaseServer): string[] {
  const lines = ask(server, "SHOW BINARY LOGS").split("\n");
  return lines.map((line) => line.split("\t")[0]!);
}

const askScript = `set -euo pipefail
. "$(dirname "$0")/flavour.sh"
as root --socket="$SOCKET" --skip-column-names --execute="$STATEMENT"
`;
