import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** MySQL's server, as Debian sid has it. */
export interface Servers {
  /** The folder of the unpacked packages. */
  readonly root: string;
  /** The words that run mysqld, before its options. */
  readonly mysqld: readonly string[];
  /** An initialized data directory, which has the user `onlooker` with all rights and no password. */
  readonly emptyData: string;
  /** A library that gives a process a clock of its own; undefined without a compiler. */
  readonly ownClock: string | undefined;
}

const source =
  "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main";

/** Gets MySQL into a folder of the cache, beside what this machine has; returns why that can't be done. */
export function installServers(): Servers | string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder/mysql");
  const root = join(folder, "sid");
  const libraries = join(root, "usr/lib/x86_64-linux-gnu");
  const mysqld = [
    join(libraries, "ld-linux-x86-64.so.2"),
    "--argv0",
    "mysqld",
    "--library-path",
    libraries,
    join(root, "usr/sbin/mysqld"),
    "--no-defaults",
    `--plugin-dir=${root}/usr/lib/mysql/plugin`,
    `--lc-messages-dir=${root}/usr/share/mysql`,
    `--character-sets-dir=${root}/usr/share/mysql/charsets`,
  ];
  const emptyData = join(folder, "data");
  try {
    if (!existsSync(root)) unpackPackages(folder, root);
    if (!existsSync(emptyData)) initialize(mysqld, folder, emptyData);
  } catch (error) {
    return `MySQL of Debian sid can't be installed: ${(error as Error).message.trim().split("\n").at(-1)}`;
  }
  return { root, mysqld, emptyData, ownClock: compileClock(folder) };
}

/** Downloads the packages with all that they depend on by an apt of its own, since those of this machine are older. */
function unpackPackages(folder: string, root: string): void {
  const apt = join(folder, "apt");
  for (const name of ["lists/partial", "archives/partial"]) mkdirSync(join(apt, name), { recursive: true });
  writeFileSync(join(apt, "sources.list"), `${source}\n`);
  writeFileSync(join(apt, "status"), "");
  const settings = {
    "Dir::State": apt,
    "Dir::State::status": join(apt, "status"),
    "Dir::State::lists": join(apt, "lists"),
    "Dir::Cache": apt,
    "Dir::Cache::archives": join(apt, "archives"),
    "Dir::Etc::sourcelist": join(apt, "sources.list"),
    "Dir::Etc::sourceparts": "-",
    "APT::Sandbox::User": "root",
    "APT::Install-Recommends": "false",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  execFileSync("apt-get", [...options, "update"], { stdio: "pipe" });
  const packages = ["mysql-server-core", "mysql-client-core"];
  execFileSync("apt-get", [...options, "install", "--yes", "--download-only", ...packages], {
    stdio: "pipe",
  });
  const half = `${root}.half`;
  rmSync(half, { recursive: true, force: true });
  for (const name of readdirSync(join(apt, "archives")).filter((one) => one.endsWith(".deb"))) {
    execFileSync("dpkg-deb", ["--extract", join(apt, "archives", name), half]);
  }
  renameSync(half, root);
  rmSync(apt, { recursive: true });
}

function initialize(mysqld: readonly string[], folder: string, emptyData: string): void {
  const half = `${emptyData}.half`;
  const users = join(folder, "users.sql");
  rmSync(half, { recursive: true, force: true });
  writeFileSync(users, "CREATE USER onlooker@'%';\nGRANT ALL ON *.* TO onlooker@'%';\n");
  const [program = "", ...words] = mysqld;
  const options = ["--initialize-insecure", `--init-file=${users}`, `--datadir=${half}`];
  const sizes = ["--innodb-redo-log-capacity=8M", "--user=root"];
  execFileSync(program, [...words, ...options, ...sizes], { stdio: "pipe" });
  rmSync(join(half, "auto.cnf"));
  renameSync(half, emptyData);
}

function compileClock(folder: string): string | undefined {
  const library = join(folder, "own-clock.so");
  const words = ["-shared", "-fPIC", "-O2", "-o", library, join(import.meta.dirname, "own-clock.c")];
  return spawnSync("cc", words).status === 0 ? library : undefined;
}
