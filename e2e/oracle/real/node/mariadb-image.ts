import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { addProgram, baseEnvironment } from "../../../support/registries/base-images.ts";
import { writeImageArchive } from "./image-archive.ts";

/** Debian's packages whose programs the official image has, too, as far as the template's scripts call them. */
const packages = ["bash", "coreutils", "dash", "findutils", "grep", "gzip", "sed"];
const servers = [
  "mariadbd",
  "mariadb",
  "mariadb-admin",
  "mariadb-dump",
  "mariadb-install-db",
  "mariadb-upgrade",
  "my_print_defaults",
];
const data = ["/usr/share/mysql", "/usr/share/zoneinfo/UTC"];

/** Writes an image of this machine's MariaDB to an archive, with the user of the official image. */
export function writeMariadbImage(file: string, ...names: readonly [string, ...string[]]): void {
  const root = mkdtempSync(join(tmpdir(), "mariadb-"));
  try {
    for (const file of programs()) {
      if (isScript(file)) copy(root, file);
      else addProgram(root, file);
    }
    for (const folder of data) copy(root, folder);
    for (const folder of ["tmp", "run/mysqld", "var/lib/mysql", "usr/lib/mysql/plugin"]) {
      mkdirSync(join(root, folder), { recursive: true });
      chmodSync(join(root, folder), 0o1777);
    }
    mkdirSync(join(root, "etc"), { recursive: true });
    const users = ["root:x:0:0:root:/:/bin/sh", "mysql:x:999:999::/var/lib/mysql:/bin/sh"];
    writeFileSync(join(root, "etc/passwd"), `${users.join("\n")}\n`);
    writeImageArchive(file, names, root, { Env: [baseEnvironment], User: "999" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function programs(): string[] {
  const lines = (command: string, ...words: string[]): string[] =>
    execFileSync(command, words, { encoding: "utf8" }).trim().split("\n");
  const found = lines("which", ...servers);
  const files = lines("dpkg-query", "--listfiles", ...packages);
  return [...found, ...files.filter((path) => /^(\/usr)?\/s?bin\/./.test(path) && statSync(path).isFile())];
}

function isScript(file: string): boolean {
  return readFileSync(file).subarray(0, 2).toString() === "#!";
}

function copy(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  cpSync(path, join(root, path), { recursive: true, dereference: true });
}
