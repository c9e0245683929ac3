import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Changes of the image, as far as one installed MariaDB can show them: the mark of the version is written by hand.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: versions of a real MariaDB: mariadb-server is not installed");

const root = { name: "root", password: credentials.root };

describe.skipIf(missing)("data of another version", () => {
  const folder = databaseFolder();
  let server: DatabaseServer;

  beforeAll(async () => {
    server = await databaseServer(folder.path, 0, mariaFiles());
    await startServers(server);
    server.sql("CREATE TABLE shop.t (id INT PRIMARY KEY)", root);
    await server.stop();
  });

  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  test.each(["mysql 8.4", "mariadb 11.4", "mariadb 10.12"])(
    "from %s is refused, and stays as it is",
    (version) => {
      const now = server.readData(".operator-version");
      server.writeData(".operator-version", `${version}\n`);
      expect(server.script("init.sh")).toMatchObject({ code: 6 });
      expect(server.report()).toBe(`the data is from ${version}, and the image has ${now.trim()}`);
      expect(server.readData(".operator-version")).toBe(`${version}\n`);
      server.writeData(".operator-version", now);
    },
  );

  test("of an older one has its system tables upgraded, without a password, and outside of the binary log", async () => {
    server.start();
    await server.ready();
    const { output: before } = server.sql("SHOW CREATE TABLE mysql.global_priv", root);
    const number = () => Number(server.sql("SELECT @@gtid_binlog_pos", root).output.split("-")[2]);
    const at = number();
    server.sql("SET sql_log_bin = 0; ALTER TABLE mysql.proc MODIFY body_utf8 TEXT", root);
    await server.stop();
    server.writeData(".operator-version", "mariadb 10.6\n");
    const { code, output } = server.script("init.sh");
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("Phase 8/8") });
    expect(server.readData(".operator-version")).toBe("mariadb 10.11\n");
    server.start();
    await server.ready();
    expect(server.sql("SHOW COLUMNS FROM mysql.proc LIKE 'body_utf8'", root).output).toContain("longblob");
    expect(server.sql("SHOW CREATE TABLE mysql.global_priv", root).output).toBe(before);
    expect(number()).toBe(at + 1);
  });

  test("of older operators, which did not write it down, is served as it is", async () => {
    await server.stop();
    server.writeData(".operator-version", undefined);
    expect(server.script("init.sh")).toMatchObject({ code: 0 });
    expect(server.readData(".operator-version")).toMatch(/^mariadb \d+\.\d+\n$/);
  });
});
