import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Credentials } from "../../golden/maria-operator/src/controller/maria_passwords.ts";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";
import { PasswordKeeper } from "./maria-passwords.ts";

// New passwords for real servers, with the operator's own steps, while clients log in all the time.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: rotations of a real MariaDB: mariadb-server is not installed");

describe.skipIf(missing)("a rotation of passwords", () => {
  const folder = databaseFolder();
  const clock = new FakeClock();
  const servers: DatabaseServer[] = [];
  let keeper: PasswordKeeper;
  let client: ChildProcess | undefined;

  beforeAll(async () => {
    const primary = await databaseServer(folder.path, 0, mariaFiles());
    servers.push(primary, await databaseServer(folder.path, 1, mariaFiles(), primary.port));
    await startServers(primary, servers[1]!);
    keeper = new PasswordKeeper(servers, clock, credentials);
    tell(credentials);
    client = spawn("bash", ["-c", logIn], { cwd: folder.path, stdio: "ignore" });
  });

  afterAll(async () => {
    client?.kill();
    if (client?.exitCode === null) await once(client, "exit");
    for (const server of servers) await server.stop();
    folder.remove();
  });

  test("refuses no login, neither with the published passwords nor, within the grace, with the former ones", async () => {
    for (const round of ["first", "second"]) {
      const app = `it's ${round} \\ */ "new"`;
      const former = keeper.reconcile({ app }).current;
      // Nobody knows the new ones yet. The primary's files are mounted late, the replica's early.
      keeper.mount(servers[1]!);
      await seen();
      expect(keeper.runJob(servers[1]!)).toEqual({ code: 0, output: "" });
      const { current } = keeper.reconcile({ app });
      expect(current).toMatchObject({ app, root: former.root });
      tell(former, current);
      await seen();
      for (const server of servers) keeper.mount(server);
      expect(keeper.runJob(servers[0]!)).toBeUndefined();
      await seen();
      tell(current);
      // A login with a former password may be under way.
      await seen();
      await clock.advance(3_600_000);
      keeper.reconcile({ app });
      for (const server of servers) keeper.mount(server);
      expect(keeper.runJob(servers[0]!)).toEqual({ code: 0, output: "" });
      keeper.reconcile({ app });
      for (const server of servers) {
        const { output } = server.sql("SELECT 1", { name: "app", password: former.app });
        expect(output).toContain("1045");
      }
      await seen();
    }
  });

  test("of all users at once is one that was asked for: replicas, backups and probes go on", async () => {
    const annotations = { "data.example.com/rotate": "2024-01-01" };
    const app = "given";
    const turn = () => {
      const passwords = keeper.reconcile({ app }, annotations);
      for (const server of servers) keeper.mount(server);
      keeper.runJob(servers[0]!);
      return passwords.current;
    };
    const former = turn();
    const current = turn();
    for (const user of ["root", "replication", "backup", "probe"] as const) {
      expect([user, current[user]]).not.toEqual([user, former[user]]);
    }
    tell(former, current);
    await seen();
    await eventually(() => expect(servers[1]!.readData("master.info")).toContain(current.replication));
    tell(current);
    await seen();
    await clock.advance(3_600_000);
    turn();
    turn();
    const root = { name: "root", password: current.root };
    expect(servers[0]!.sql("SELECT 1", { ...root, password: former.root }).output).toContain("1045");
    // The replica has to log in again.
    const threads =
      "SELECT GROUP_CONCAT(CONCAT('KILL ', ID) SEPARATOR ';') FROM information_schema.PROCESSLIST";
    const { output } = servers[0]!.sql(`${threads} WHERE USER = 'operator_replication'`, root);
    expect(servers[0]!.sql(output, root).code).toBe(0);
    expect(servers[0]!.sql("CREATE TABLE shop.t (id INT)", root).code).toBe(0);
    await eventually(() => expect(servers[1]!.sql("SELECT COUNT(*) FROM shop.t", root).output).toBe("0"));
    await servers[1]!.ready();
    await seen();
  });

  test("that does not reach a server is not published", async () => {
    const { current } = keeper.reconcile();
    const primary = servers[0]!;
    const root = { name: "root", password: current.root };
    // The Job can't log in to it.
    expect(primary.sql("SET sql_log_bin=0; ALTER USER root@'%' ACCOUNT LOCK", root).code).toBe(0);
    tell();
    keeper.reconcile({ app: "unreached" });
    keeper.mount(servers[1]!);
    expect(keeper.runJob(servers[1]!)).toMatchObject({ code: 1, output: expect.stringContaining("4151") });
    expect(keeper.reconcile({ app: "unreached" }).current).toEqual(current);
    expect(primary.sql("SELECT 1", { name: "app", password: "unreached" }).output).toContain("1045");
    // A server that is not running reads the file at its start.
    keeper.mount(primary);
    await primary.stop();
    expect(keeper.runJob(servers[1]!)).toEqual({ code: 0, output: "" });
    expect(keeper.reconcile({ app: "unreached" }).current.app).toBe("unreached");
    primary.start();
    await primary.ready();
    for (const password of [current.app, "unreached"]) {
      expect(primary.sql("SELECT 1", { name: "app", password })).toEqual({ code: 0, output: "1" });
    }
  });

  /** Which passwords the Secret has, or had within the grace. */
  function tell(...published: readonly Credentials[]): void {
    const lines = published.flatMap(({ app, root }) =>
      servers.flatMap(({ port }) => [`${port}\tapp\t${app}`, `${port}\troot\t${root}`]),
    );
    writeFileSync(join(folder.path, "logins.new"), lines.map((line) => `${line}\n`).join(""));
    renameSync(join(folder.path, "logins.new"), join(folder.path, "logins"));
  }

  /** Waits until all that was told has been tried. */
  async function seen(): Promise<void> {
    writeFileSync(join(folder.path, "rounds"), "");
    await eventually(() => expect(read("rounds").length).toBeGreaterThanOrEqual(4));
    expect(read("refused")).toBe("");
  }

  function read(name: string): string {
    return readFileSync(join(folder.path, name), "utf8");
  }
});

/** Counts rounds of logins, and writes down what was refused. */
const logIn = `
: > refused
while :; do
  while IFS=$'\\t' read -r port user password; do
    MYSQL_PWD="$password" mariadb --no-defaults -h127.0.0.1 -P"$port" -u"$user" -e 'SELECT 1' 2>> refused
  done < logins
  echo >> rounds
done
`;
