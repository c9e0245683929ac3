import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The images that the scaffolded Dockerfile builds with and upon. */
export const baseImages = [
  "docker.io/library/node:24-slim",
  "gcr.io/distroless/nodejs24-debian12:nonroot",
] as const;

/** The environment of such an image. */
export const baseEnvironment = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Writes what stands in for both into a folder: this machine's Node and npm, with a shell. */
export function writeBaseRoot(root: string): void {
  for (const folder of ["tmp", "root", "etc/ssl/certs", "usr/bin"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const program of ["/bin/sh", "/usr/bin/env", realpathSync(process.execPath)])
    addProgram(root, program);
  if (process.execPath !== "/usr/bin/node") link(root, realpathSync(process.execPath), "node");
  const npm = realpathSync(execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim());
  const modules = dirname(dirname(npm));
  cpSync(modules, join(root, modules), { recursive: true, verbatimSymlinks: true });
  link(root, npm, "npm");
  // The machine's certificates: a proxy between it and the registry may have added its own.
  const certificates = process.env["NODE_EXTRA_CA_CERTS"] ?? "/etc/ssl/certs/ca-certificates.crt";
  cpSync(certificates, join(root, "etc/ssl/certs/ca-certificates.crt"), { dereference: true });
  writeFileSync(join(root, "root/.npmrc"), "cafile=/etc/ssl/certs/ca-certificates.crt\n");
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
}

/** Copies a program and its shared libraries. */
export function addProgram(root: string, program: string): void {
  const libraries = execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/\/\S+/g);
  for (const file of [program, ...[...libraries].map(([path]) => path)]) {
    cpSync(file, join(root, file), { dereference: true });
  }
}

function link(root: string, target: string, name: string): void {
  symlinkSync(target, join(root, "usr/bin", name));
}
