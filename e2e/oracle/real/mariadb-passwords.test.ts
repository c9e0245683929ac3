import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Unusual passwords and names, through init file, option files and a real server.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: passwords on a real MariaDB: mariadb-server is not installed");

const passwords = [
  `quotes ' and " and \` all`,
  "back\\slash \\n \\s \\' at the end\\",
  "$HOME $(id) ${x} !! %s",
  "# comment -- ; DROP USER root; /* */",
  " spaces before and after ",
  "Grüße 密码 🔑",
  "a=b\tc [client]",
];

describe.skipIf(missing)("passwords", () => {
  const folder = databaseFolder();
  let server: DatabaseServer;

  beforeAll(async () => {
    server = await databaseServer(folder.path, 0, mariaFiles());
    server.script("init.sh");
  });

  afterAll(async () => {
    await server?.stop();
    folder.remove();
  });

  test.each(passwords)("%j works for every user, in SQL and in option files", async (password) => {
    const same = { app: password, root: password, replication: password, backup: password, probe: password };
    await restart({}, same);
    for (const name of ["app", "root"]) {
      expect(server.sql("SELECT 1", { name, password })).toEqual({ code: 0, output: "1" });
    }
    expect(server.sql("SELECT 1", { name: "app", password: `${password}x` }).output).toContain("1045");
    const root = (statement: string) => server.sql(statement, { name: "root", password });
    expect(root("SELECT COUNT(*) FROM mysql.global_priv WHERE User = 'root'").output).toBe("2");
  });

  test("a backslash escapes even if the settings include NO_BACKSLASH_ESCAPES", async () => {
    const password = "back\\slash'";
    await restart(
      { config: { sql_mode: "NO_BACKSLASH_ESCAPES,ANSI_QUOTES" } },
      { ...credentials, app: password },
    );
    expect(server.sql("SELECT @@global.sql_mode", { name: "app", password }).output).toContain(
      "NO_BACKSLASH",
    );
  });

  test("with root as the user, no other user is created", async () => {
    await restart({ username: "root" }, { ...credentials, root: "only", app: "only" });
    expect(server.sql("SELECT CURRENT_USER()", { name: "root", password: "only" }).output).toBe("root@%");
  });

  test("without a database, the user may use all but the system databases, and can't raise its privileges", async () => {
    await restart({ username: "wide", database: undefined as never }, credentials);
    expect(server.sql("CREATE DATABASE anything; CREATE TABLE anything.t (id INT)", wide).code).toBe(0);
    expect(server.sql("INSERT INTO anything.t VALUES (1)", wide).code).toBe(0);
    expectNoAdministrator("wide");
    expect(root("SET GLOBAL read_only = 1").code).toBe(0);
    expect(server.sql("INSERT INTO anything.t VALUES (1)", wide).output).toContain("1290");
    expect(root("SET GLOBAL read_only = 0").code).toBe(0);
  });

  test("global privileges that an older version granted are revoked at the start", async () => {
    expect(root("GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO 'wide'@'%'").code).toBe(0);
    expect(server.sql("SELECT COUNT(*) FROM mysql.global_priv", wide).code).toBe(0);
    await restart({ username: "wide", database: undefined as never }, credentials);
    expectNoAdministrator("wide");
  });

  test("a database that is added or changed later gets the grants of the previous one", async () => {
    await restart({ username: "wide", database: "first" }, credentials);
    expect(server.sql("CREATE TABLE first.t (id INT)", wide).code).toBe(0);
    expect(server.sql("SELECT * FROM anything.t", wide).output).toContain("1142");
    expectNoAdministrator("wide");
    await restart({ username: "wide", database: "second" }, credentials);
    expect(server.sql("CREATE TABLE second.t (id INT)", wide).code).toBe(0);
    expect(server.sql("SELECT * FROM first.t", wide).output).toContain("1142");
  });

  test("an underscore in the database's name is no wildcard", async () => {
    await restart({ username: "wide", database: "m_sql" }, credentials);
    expect(server.sql("CREATE TABLE m_sql.t (id INT)", wide).code).toBe(0);
    expectNoAdministrator("wide");
  });

  const wide = { name: "wide", password: credentials.app };

  function root(statement: string) {
    return server.sql(statement, { name: "root", password: credentials.root });
  }

  /** Tries the ways by which a user with write access could gain all privileges. */
  function expectNoAdministrator(name: string): void {
    const user = { name, password: credentials.app };
    for (const statement of [
      `UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.access', 18446744073709551615) WHERE User = '${name}'`,
      "SELECT Priv FROM mysql.global_priv",
      "INSERT INTO mysql.db (Host, Db, User) VALUES ('%', '%', 'x')",
      "CREATE TABLE mysql.mine (id INT)",
      "RENAME TABLE mysql.global_priv TO mysql.gone",
      "DROP DATABASE mysql",
      "CREATE FUNCTION sys.version_major() RETURNS INT RETURN 1",
      "CREATE USER other",
      `GRANT SELECT ON *.* TO '${name}'@'%'`,
      "SET GLOBAL read_only = 0",
    ]) {
      const { code, output } = server.sql(statement, user);
      expect([statement, code, output]).toEqual([statement, 1, expect.stringMatching(/denied/)]);
    }
  }

  async function restart(spec: MariaSpec, given: typeof credentials): Promise<void> {
    await server.stop();
    for (const [name, content] of Object.entries(mariaFiles(spec, given))) server.configure(name, content);
    server.start();
    await server.ready();
  }
});
