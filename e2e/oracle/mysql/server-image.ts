import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeImageArchive } from "../real/node/image-archive.ts";
import type { Servers } from "./install-servers.ts";

/** The parts of Debian's packages that a server and its client need. */
const parts = ["sbin/mysqld", "bin/mysql", "bin/mysqladmin", "lib", "lib64", "share/mysql"];

/** Busybox plays the programs that the template's scripts call. */
const tools = "rm mv ls cp cat date find grep head mkdir sleep sort tail touch xargs".split(" ");

/** Writes an image that has what the template needs of MySQL's own, as an archive. */
export function writeServerImage({ root }: Servers, name: string, archive: string): void {
  const image = mkdtempSync(join(tmpdir(), "mysql-image-"));
  try {
    for (const part of parts) {
      cpSync(join(root, "usr", part), join(image, "usr", part), { recursive: true, verbatimSymlinks: true });
    }
    for (const folder of ["bin", "lib", "lib64"]) symlinkSync(`usr/${folder}`, join(image, folder));
    for (const folder of ["tmp", "run/mysqld", "var/lib/mysql"])
      mkdirSync(join(image, folder), { recursive: true });
    // This machine's shell is older than the C library beside it.
    copyFileSync("/bin/bash", join(image, "usr/bin/bash"));
    copyFileSync("/bin/busybox", join(image, "usr/bin/busybox"));
    for (const tool of tools) symlinkSync("busybox", join(image, "usr/bin", tool));
    writeImageArchive(archive, name, image, { Env: ["PATH=/usr/sbin:/usr/bin"] });
  } finally {
    rmSync(image, { recursive: true, force: true });
  }
}
