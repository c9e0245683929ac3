import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folderChange } from "../../support/folder-change.ts";
import { watchLog } from "../../support/watched-process.ts";
import { databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Backups and restores by the scripts of the template, with Debian's MariaDB as real processes.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: backups of real MariaDB processes: mariadb-server is not installed");

const sum = 4_000_000;

describe.skipIf(missing)("the backup and restore scripts", () => {
  const folder = databaseFolder();
  // A path with spaces, as a user may choose one.
  const backups = join(folder.path, "my backups");
  let source: DatabaseServer;
  let target: DatabaseServer;

  beforeAll(async () => {
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    source = await databaseServer(join(folder.path, "source"), 0, mariaFiles());
    target = await databaseServer(join(folder.path, "target"), 0, mariaFiles());
    for (const server of [source, target]) {
      server.script("init.sh");
      server.start();
      await server.ready();
    }
    source.sql(schema.join(";\n"), root);
  });

  afterAll(async () => {
    await source?.stop();
    await target?.stop();
    folder.remove();
  });

  test("a dump under load is consistent, and restores completely into an empty server", async () => {
    const transfers = Array.from({ length: 3000 }, (_, at) => {
      const [from, to] = at % 2 === 0 ? [1, 2] : [3, 4];
      return `START TRANSACTION; UPDATE shop.accounts SET balance = balance - ${at % 7} WHERE id = ${from}; UPDATE shop.accounts SET balance = balance + ${at % 7} WHERE id = ${to}; COMMIT;`;
    });
    const writing = source.load(transfers.join(" "));
    expect(backUp()).toMatchObject({ code: 0 });
    expect(await writing).toBe(0);
    // A second one, of the state that the target is compared with.
    await nextSecond();
    expect(backUp()).toMatchObject({ code: 0 });
    const [first] = files();

    expect(restore(first!)).toMatchObject({ code: 0 });
    expect(target.sql("SELECT SUM(balance) FROM shop.accounts", root).output).toBe(String(sum));
    expect(restore("latest")).toMatchObject({ code: 0 });
    for (const question of questions) {
      const answer = source.sql(question, root);
      expect(answer).toEqual({ code: 0, output: expect.stringMatching(/./) });
      expect(target.sql(question, root)).toEqual(answer);
    }
  });

  test("a wrong password fails the backup, which leaves no file", () => {
    const before = files();
    source.configure("backup.cnf", mariaFiles({}, { ...credentials, backup: "wrong" })["backup.cnf"]);
    const { code, output } = backUp();
    source.configure("backup.cnf", mariaFiles()["backup.cnf"]);
    expect(code).not.toBe(0);
    expect(output).toContain("1045");
    expect(files()).toEqual(before);
  });

  test("a backup that is killed leaves only a .part file, which the next one deletes", async () => {
    const before = files();
    source.sql("CREATE TABLE shop.large (id INT PRIMARY KEY AUTO_INCREMENT, filler BLOB)", root);
    source.sql("INSERT INTO shop.large (filler) SELECT RANDOM_BYTES(1000) FROM seq_1_to_60000", root);
    await nextSecond();
    const earlier = parts();
    const begun = folderChange(backups, (file) => file.endsWith(".part") && !earlier.includes(file));
    const job = source.run("backup.sh", jobEnvironment());
    await begun(watchLog("the backup", job, () => source.log()));
    expect(parts()).toHaveLength(1);
    process.kill(-job.pid!, "SIGKILL");
    await new Promise((resolve) => job.once("close", resolve));
    expect(files()).toEqual(before);
    expect(parts()).toHaveLength(1);

    source.sql("DROP TABLE shop.large", root);
    await nextSecond();
    expect(backUp()).toMatchObject({ code: 0 });
    expect(parts()).toEqual([]);
    expect(files()).toHaveLength(before.length + 1);
  });

  test("with KEEP=2, the two newest of four backups are kept", async () => {
    const made: string[] = [];
    for (let run = 0; run < 4; run += 1) {
      await nextSecond();
      expect(backUp({ KEEP: "2" })).toMatchObject({ code: 0 });
      made.push(files().at(-1)!);
    }
    expect(files()).toEqual(made.slice(2));
  });

  test("a backup from the future, when the clock was wrong, is the first to go and the last to be restored, and never the new one", async () => {
    const future = ["db-29990101T000000Z.sql.gz", "db-29990102T000000Z.sql.gz"];
    for (const name of future) writeFileSync(join(backups, name), "");
    expect(restore("latest")).toMatchObject({ code: 0, output: expect.stringMatching(/restored .*\/db-20/) });
    const before = files().filter((name) => !future.includes(name));
    await nextSecond();
    expect(backUp({ KEEP: "2" })).toMatchObject({ code: 0 });
    expect(files()).toEqual([before.at(-1), expect.stringMatching(/^db-20/)]);
    await nextSecond();
    writeFileSync(join(backups, future[0]!), "");
    expect(backUp({ KEEP: "1" })).toMatchObject({ code: 0 });
    expect(files()).toEqual([expect.stringMatching(/^db-20/)]);
  });

  test("files that its user put beside the backups, and the backups of others, are no backups: they stay", async () => {
    const others = ["db-before-the-move.sql.gz", "db-eu-20010101T000000Z.sql.gz"];
    for (const name of others) writeFileSync(join(backups, name), "");
    await nextSecond();
    expect(backUp({ KEEP: "1" })).toMatchObject({ code: 0 });
    expect(readdirSync(backups)).toEqual(expect.arrayContaining(others));
    expect(restore("latest")).toMatchObject({ code: 0, output: expect.stringMatching(/restored .*\/db-20/) });
  });

  test("room is made before the dump, but the last backup stays until there is another one", async () => {
    const before = files();
    await nextSecond();
    expect(before).toHaveLength(1);
    for (const name of ["db-20010101T000000Z.sql.gz", "db-20010102T000000Z.sql.gz"])
      writeFileSync(join(backups, name), "");
    source.configure("backup.cnf", mariaFiles({}, { ...credentials, backup: "wrong" })["backup.cnf"]);
    expect(backUp({ KEEP: "1", DATABASE: "shop" }).code).not.toBe(0);
    source.configure("backup.cnf", mariaFiles()["backup.cnf"]);
    expect(files()).toEqual(before);
  });

  test("a missing or truncated backup is rejected, and the database is unchanged", () => {
    target.sql("DELETE FROM shop.accounts WHERE id = 4", root);
    const before = target.sql("CHECKSUM TABLE shop.accounts, shop.log", root).output;
    const good = readFileSync(join(backups, files().at(-1)!));
    const text = gunzipSync(good).toString("utf8");
    const cut: Record<string, Buffer> = {
      "cut-file.sql.gz": good.subarray(0, good.length - 20),
      "cut-dump.sql.gz": gzipSync(text.slice(0, text.length / 2)),
      "empty.sql.gz": Buffer.alloc(0),
    };
    for (const [name, content] of Object.entries(cut)) {
      writeFileSync(join(backups, name), content);
      const { code, output } = restore(name);
      expect([name, code]).not.toEqual([name, 0]);
      expect(output).not.toContain("restored");
    }
    expect(restore("absent.sql.gz")).toMatchObject({
      code: 1,
      output: 'backup "absent.sql.gz" not found\n',
    });
    expect(target.sql("CHECKSUM TABLE shop.accounts, shop.log", root).output).toBe(before);
    expect(restore("latest")).toMatchObject({ code: 0 });
    expect(target.sql("SELECT SUM(balance) FROM shop.accounts", root).output).toBe(String(sum));
  });

  test("a server that is read-only, because another one is primary now, is not restored into", () => {
    target.sql("DELETE FROM shop.accounts WHERE id = 4; SET GLOBAL read_only = ON", root);
    expect(restore("latest")).toMatchObject({ code: 1, output: "127.0.0.1 is read-only\n" });
    expect(target.sql("SELECT COUNT(*) FROM shop.accounts", root).output).toBe("3");
    target.sql("SET GLOBAL read_only = OFF", root);
    expect(restore("latest")).toMatchObject({ code: 0 });
  });

  test("if no database is named, all databases except the system's are dumped", async () => {
    source.sql("CREATE DATABASE `odd name's`", root);
    source.sql("CREATE TABLE `odd name's`.t (id INT)", root);
    await nextSecond();
    expect(backUp({ DATABASE: "" })).toMatchObject({ code: 0 });
    const text = gunzipSync(readFileSync(join(backups, files().at(-1)!))).toString("utf8");
    expect(text).toContain("USE `shop`");
    expect(text).toContain("USE `odd name's`");
    expect(text).not.toContain("USE `mysql`");
  });

  function jobEnvironment(more: Record<string, string> = {}): Record<string, string> {
    const job = { BACKUP_DIR: backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", DATABASE: "shop" };
    return { ...job, KEEP: "100", ...more };
  }

  function backUp(more: Record<string, string> = {}) {
    return source.script("backup.sh", jobEnvironment(more));
  }

  function restore(file: string) {
    return target.script("restore.sh", { BACKUP_DIR: backups, BACKUP_NAME: "db", FILE: file });
  }

  /** Complete backups, the oldest first. */
  function files(): string[] {
    return readdirSync(backups)
      .filter((name) => /^db-\d{8}T\d{6}Z\.sql\.gz$/.test(name))
      .toSorted();
  }

  function parts(): string[] {
    return readdirSync(backups).filter((name) => name.endsWith(".part"));
  }
});

const root = { name: "root", password: credentials.root };

const schema = [
  "CREATE TABLE shop.accounts (id INT PRIMARY KEY, balance INT NOT NULL)",
  "CREATE TABLE shop.log (id INT PRIMARY KEY AUTO_INCREMENT, what VARCHAR(20))",
  "INSERT INTO shop.accounts VALUES (1, 1000000), (2, 1000000), (3, 1000000), (4, 1000000)",
  "CREATE PROCEDURE shop.touch() INSERT INTO shop.log (what) VALUES ('touched')",
  "CREATE FUNCTION shop.twice(x INT) RETURNS INT DETERMINISTIC RETURN 2 * x",
  "CREATE TRIGGER shop.logged AFTER INSERT ON shop.accounts FOR EACH ROW INSERT INTO shop.log (what) VALUES ('new')",
  "CREATE EVENT shop.nightly ON SCHEDULE EVERY 1 DAY DO CALL shop.touch()",
  "CREATE VIEW shop.rich AS SELECT id FROM shop.accounts WHERE balance > 0",
  "CALL shop.touch()",
];

/** Queries with the same results on the source and on the server restored from its dump. */
const questions = [
  "CHECKSUM TABLE shop.accounts, shop.log",
  "SELECT routine_name, routine_type, routine_definition FROM information_schema.routines WHERE routine_schema = 'shop' ORDER BY 1",
  "SELECT trigger_name, action_statement FROM information_schema.triggers WHERE trigger_schema = 'shop'",
  "SELECT event_name, event_definition FROM information_schema.events WHERE event_schema = 'shop'",
  "SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = 'shop'",
];

/** Backups are named by the second. */
async function nextSecond(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 1010 - (Date.now() % 1000));
  });
}
