import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MariaSpec } from "../golden/maria-operator/api/v1/maria_types.ts";
import { databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Passwords and names as people choose them, through init file, option files and a real server.

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

  test("a backslash escapes even where the settings say that it does not", async () => {
    const password = "back\\slash'";
    await restart(
      { config: { sql_mode: "NO_BACKSLASH_ESCAPES,ANSI_QUOTES" } },
      { ...credentials, app: password },
    );
    expect(server.sql("SELECT @@global.sql_mode", { name: "app", password }).output).toContain(
      "NO_BACKSLASH",
    );
  });

  test("with root as the user there is no second one", async () => {
    await restart({ username: "root" }, { ...credentials, root: "only", app: "only" });
    expect(server.sql("SELECT CURRENT_USER()", { name: "root", password: "only" }).output).toBe("root@%");
  });

  test("without a database the user may use all, and still not write where the operator does not let it", async () => {
    const { database: _, ...spec }: MariaSpec = { database: "shop", username: "wide" };
    await server.stop();
    const files = mariaFiles({ ...spec, database: undefined as never });
    server.configure("init.sql", files["init.sql"]);
    for (const name of ["root.cnf", "probe.cnf"]) server.configure(name, files[name]);
    server.start();
    await server.ready();
    const wide = { name: "wide", password: credentials.app };
    expect(server.sql("CREATE DATABASE anything; CREATE TABLE anything.t (id INT)", wide).code).toBe(0);
    expect(server.sql("SET GLOBAL read_only = 1", { name: "root", password: credentials.root }).code).toBe(0);
    expect(server.sql("INSERT INTO anything.t VALUES (1)", wide).output).toContain("1290");
    expect(server.sql("SET GLOBAL read_only = 0", wide).code).not.toBe(0);
    server.sql("SET GLOBAL read_only = 0", { name: "root", password: credentials.root });
  });

  async function restart(spec: MariaSpec, given: typeof credentials): Promise<void> {
    await server.stop();
    for (const [name, content] of Object.entries(mariaFiles(spec, given))) server.configure(name, content);
    server.start();
    await server.ready();
  }
});
