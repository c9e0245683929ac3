import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { databaseFolder, type DatabaseServer, databaseServer } from "./database-servers.ts";
import { mariaFiles } from "./maria-files.ts";

// Containers and their volumes affect the scripts of the MySQL template. Servers are not needed for these tests.

const missing = spawnSync("mariadbd", ["--version"]).status !== 0;
if (missing)
  console.log("left out: scripts of the MySQL template in containers: mariadb-server is not installed");

const asFirst = [
  "unshare",
  "--pid",
  "--fork",
  "--kill-child",
  ...(userInfo().uid === 0 ? [] : ["--user", "--map-current-user"]),
];
const isAlone = spawnSync(asFirst[0]!, [...asFirst.slice(1), "true"]).status !== 0;
if (isAlone)
  console.log("left out: scripts as the first process of a container: this machine allows no PID namespace");

describe.skipIf(missing)("the scripts of the MySQL template", () => {
  let folder: ReturnType<typeof databaseFolder>;
  let server: DatabaseServer;
  let backups: string;

  beforeEach(async () => {
    folder = databaseFolder();
    backups = join(folder.path, "backups");
    for (const path of [backups, join(folder.path, "bin")]) mkdirSync(path);
    chmodSync(backups, 0o777);
    server = await databaseServer(folder.path, 0, mariaFiles());
    program("mariadb-install-db", "exit 0");
  });

  afterEach(() => folder.remove());

  test.skipIf(isAlone).each(["init.sh", "backup.sh", "restore.sh", "switch.sh"])(
    "%s ends by SIGTERM, also as the first process of a container, which has no default for it",
    async (name) => {
      for (const client of ["mariadb", "mariadb-dump"]) program(client, `> "$RUNDIR/asks"; exec sleep 1000`);
      writeFileSync(join(backups, "a.sql.gz"), gzipSync("-- Dump completed"));
      server.configure("primary", `1 127.0.0.1 ${server.port}`);
      const job = { BACKUP_DIR: backups, BACKUP_NAME: "db", BACKUP_HOST: "127.0.0.1", FILE: "a.sql.gz" };
      const container = server.run(name, { ...job, DATABASE: "shop", TARGET_HOST: "127.0.0.1" }, asFirst);
      const ended = once(container, "exit");
      onTestFinished(() => void container.kill("SIGKILL"));
      await eventually(() => existsSync(join(folder.path, "run-0", "asks")));
      const first = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8");
      process.kill(Number(first), "SIGTERM");
      expect(await ended).toEqual([143, null]);
    },
  );

  test("init.sh keeps a primary's history and version on a full disk, where not a byte can be written", () => {
    expect(server.script("init.sh")).toMatchObject({ code: 0 });
    const history = server.report();
    server.configure("initialized", history);
    const version = server.readData(".operator-version");
    expect(server.script("init.sh", fullDisk())).toMatchObject({ code: 0 });
    server.writeData(".operator-version", "");
    expect(server.script("init.sh", fullDisk()).code).not.toBe(0);
    expect(server.script("init.sh")).toMatchObject({ code: 0 });
    expect(server.readData(".operator-version")).toBe(version);
    expect(server.readData(".operator-initialized").trim()).toBe(history);
  });

  /** Bash reads it before each script. */
  function fullDisk(): Record<string, string> {
    const path = join(folder.path, "full.sh");
    writeFileSync(path, "trap '' XFSZ; ulimit -f 0\n");
    return { BASH_ENV: path };
  }

  function program(name: string, script: string): void {
    writeFileSync(join(folder.path, "bin", name), `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 });
  }
});
