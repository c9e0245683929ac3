import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { addProgram } from "../../support/base-images.ts";
import { writeImageArchive } from "./image-archive.ts";

/** What a MariaDB image has that scripts of the template call. */
const programs = [
  "/usr/sbin/mariadbd",
  ...["mariadb", "mariadb-dump", "mariadb-admin", "my_print_defaults", "resolveip"].map(
    (name) => `/usr/bin/${name}`,
  ),
  ...[
    "env",
    "od",
    "tr",
    "find",
    "dirname",
    "seq",
    "touch",
    "gzip",
    "head",
    "wc",
    "sort",
    "cut",
    "basename",
    "id",
  ].map((name) => `/usr/bin/${name}`),
  ...[
    "bash",
    "sh",
    "sed",
    "rm",
    "cat",
    "sleep",
    "mv",
    "cp",
    "mkdir",
    "ls",
    "date",
    "chmod",
    "chown",
    "mktemp",
    "grep",
  ].map((name) => `/bin/${name}`),
];

/** Writes an image of this machine's MariaDB to an archive, with the user of the official image. */
export function writeMariadbImage(file: string, name: string): void {
  const root = mkdtempSync(join(tmpdir(), "mariadb-"));
  try {
    for (const program of programs) addProgram(root, program);
    for (const data of ["/usr/bin/mariadb-install-db", "/usr/share/mysql", "/usr/share/zoneinfo/UTC"]) {
      mkdirSync(dirname(join(root, data)), { recursive: true });
      cpSync(data, join(root, data), { recursive: true, dereference: true });
    }
    for (const folder of ["tmp", "run/mysqld", "var/lib/mysql", "usr/lib/mysql/plugin"]) {
      mkdirSync(join(root, folder), { recursive: true });
      chmodSync(join(root, folder), 0o1777);
    }
    mkdirSync(join(root, "etc"), { recursive: true });
    writeFileSync(
      join(root, "etc/passwd"),
      "root:x:0:0:root:/:/bin/sh\nmysql:x:999:999::/var/lib/mysql:/bin/sh\n",
    );
    writeImageArchive(file, name, root, {
      Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
      User: "999",
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
