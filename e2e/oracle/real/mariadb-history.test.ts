import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer, startServers } from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";

// Which data is the truth: primaries that lost their data or got an older copy back, with Debian's MariaDB.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing) console.log("left out: histories of real MariaDB data: mariadb-server is not installed");

const root = { name: "root", password: credentials.root };

describe.skipIf(missing)("a replica", () => {
  let folder: ReturnType<typeof databaseFolder>;
  let primary: DatabaseServer;
  let replica: DatabaseServer;

  beforeEach(async () => {
    folder = databaseFolder();
    mkdirSync(join(folder.path, "backups"));
    chmodSync(join(folder.path, "backups"), 0o777);
    primary = await databaseServer(folder.path, 0, mariaFiles());
    replica = await databaseServer(folder.path, 1, mariaFiles(), primary.port);
    await startServers(primary, replica);
    run(primary, "CREATE TABLE shop.t (id INT PRIMARY KEY)");
    write(1, 2, 3);
    await eventually(() => idsOf(replica) === "1,2,3");
  });

  afterEach(async () => {
    for (const server of [replica, primary]) await server?.stop();
    folder.remove();
  });

  // The new primary once wrote the same GTIDs as the lost one: the replica followed, and had 1,2,3,104,…
  test.each([
    ["before its primary writes again", []],
    ["as far as its primary", [101]],
    ["behind its primary", [101, 102, 103, 104, 105, 106, 107, 108]],
  ])(
    "of a primary that was lost and is %s is kept, and becomes a copy of the recorded data",
    async (_, ids) => {
      await replica.stop();
      await startEmpty(primary);
      if (ids.length > 0) run(primary, "CREATE TABLE shop.t (id INT PRIMARY KEY)");
      write(...ids);
      await expectAhead();

      // The operator records the new history, and deletes the replica's pod.
      replica.configure("initialized", primary.report());
      expect(replica.script("init.sh")).toMatchObject({ code: 0 });
      expect(replica.report()).toBe(primary.report());
      replica.start();
      await replica.ready();
      expect(tablesOf(replica)).toBe(tablesOf(primary));
    },
  );

  test("that has more than an older copy of the primary's data is kept, and follows the newer copy", async () => {
    await primary.stop();
    primary.save("older");
    primary.start();
    await primary.ready();
    write(4, 5);
    await eventually(() => expect(idsOf(replica)).toBe("1,2,3,4,5"));
    await primary.stop();
    primary.save("newer");
    primary.putBack("older");
    expect(primary.script("init.sh")).toMatchObject({ code: 0 });
    primary.start();
    await primary.ready();
    await replica.ended();
    await expectAhead();
    write(104, 105, 106);
    await expectAhead();

    await primary.stop();
    primary.putBack("newer");
    primary.start();
    await primary.ready();
    replica.start();
    await replica.ready();
    expect(idsOf(replica)).toBe("1,2,3,4,5");
  });

  test("whose own history isn't the recorded one is not emptied before there is a primary to copy", async () => {
    await replica.stop();
    await primary.stop();
    replica.configure("initialized", "other");
    expect(replica.script("init.sh").code).not.toBe(0);
    replica.start();
    await eventually(() => idsOf(replica) === "1,2,3");
  });

  test("whose init container is killed while it deletes becomes a whole copy at the next start", async () => {
    await replica.stop();
    replica.writeData(".operator-stale", "");
    mkdirSync(join(folder.path, "bin"));
    // A directory has any order.
    const first = [".operator-stale", "shop"].map((name) => join(folder.path, "data-1", name)).join(" ");
    const script = `[ "$1" != -rf ] || { /bin/rm -rf ${first}; exit 137; }\nexec /bin/rm "$@"\n`;
    writeFileSync(join(folder.path, "bin", "rm"), `#!/usr/bin/env bash\n${script}`, { mode: 0o755 });
    expect(replica.script("init.sh").code).not.toBe(0);
    rmSync(join(folder.path, "bin"), { recursive: true });
    expect(replica.script("init.sh")).toMatchObject({ code: 0 });
    replica.start();
    await replica.ready();
    expect(idsOf(replica)).toBe("1,2,3");
  });

  test("whose volume another pod of it begins to fill, while its node is out of reach, does not count as a copy", async () => {
    await replica.stop();
    replica.writeData(".operator-stale", "");
    mkdirSync(join(folder.path, "bin"));
    const data = join(folder.path, "data-1");
    const lines = [
      "#!/usr/bin/env bash",
      'PATH="${PATH#*:}"',
      // The other pod acts meanwhile.
      `find ${data} -mindepth 1 -delete`,
      `mariadb-install-db --no-defaults --datadir=${data} --auth-root-authentication-method=normal > /dev/null`,
      'exec mariadb-dump "$@"',
    ];
    const dump = join(folder.path, "bin", "mariadb-dump");
    writeFileSync(dump, `${lines.join("\n")}\n`, { mode: 0o755 });
    expect(replica.script("init.sh").code).not.toBe(0);
    expect(replica.hasData(".operator-initialized")).toBe(false);
    rmSync(dump);
    expect(replica.script("init.sh")).toMatchObject({ code: 0 });
    replica.start();
    await replica.ready();
    expect(idsOf(replica)).toBe("1,2,3");
  });

  test("of older versions, whose data names no history, follows as before", async () => {
    await replica.stop();
    await primary.stop();
    for (const server of [primary, replica]) {
      server.writeData(".operator-initialized", "");
      server.configure("initialized", "true");
    }
    await startServers(primary, replica);
    expect(replica.report()).toBe("true");
    write(4);
    await eventually(() => expect(idsOf(replica)).toBe("1,2,3,4"));
  });

  test("does not become primary with another history than the recorded one", () => {
    primary.configure("initialized", "other");
    expect(primary.script("init.sh")).toMatchObject({
      code: 3,
      output: expect.stringContaining('instead of "other"'),
    });
  });

  /** Its rows are as they were, it is not ready, and a backup is the primary's. */
  async function expectAhead(): Promise<void> {
    replica.start();
    await replica.ended();
    replica.start();
    expect(await replica.ended()).toBe(5);
    expect(replica.report()).toMatch(/^this replica has transactions up to GTID 0-\d+-\d+$/);
    expect(replica.script("ready.sh").code).not.toBe(0);
    const job = {
      BACKUP_DIR: join(folder.path, "backups"),
      BACKUP_NAME: "db",
      BACKUP_HOST: "127.0.0.1",
      DATABASE: "shop",
    };
    const { output } = replica.script("backup.sh", job);
    expect(output).toContain("dumping the primary instead");
  }

  function write(...ids: number[]): void {
    for (const id of ids) run(primary, `INSERT INTO shop.t VALUES (${id})`);
  }
});

async function startEmpty(server: DatabaseServer): Promise<void> {
  await server.stop();
  server.empty();
  expect(server.script("init.sh")).toMatchObject({ code: 3 });
  server.configure("allow-reinit", "true");
  expect(server.script("init.sh")).toMatchObject({ code: 0 });
  server.start();
  await server.ready();
}

function idsOf(server: DatabaseServer): string {
  return run(server, "SELECT GROUP_CONCAT(id ORDER BY id) FROM shop.t");
}

function tablesOf(server: DatabaseServer): string {
  return run(
    server,
    "SELECT GROUP_CONCAT(table_name) FROM information_schema.tables WHERE table_schema = 'shop'; CHECKSUM TABLE shop.t",
  );
}

function run(server: DatabaseServer, statement: string): string {
  const { code, output } = server.sql(statement, root);
  if (code !== 0) throw new Error(output);
  return output;
}
