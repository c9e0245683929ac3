import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The program in this folder, or why it is not there. */
export type OlmProgram = { readonly program: string } | { readonly missing: string };

const folder = import.meta.dirname;
/** Without them, the libraries need headers of C libraries that images are stored with. */
const tags = "containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper,json1";

/** Finds the program in the cache. */
export function findOlmProgram(): OlmProgram {
  const program = builtProgram();
  return existsSync(program) ? { program } : { missing: "it is not built: npm run e2e:olm builds it" };
}

/** Builds the program into the cache: some four minutes of processor time, with nothing compiled before. */
export function buildOlmProgram(): string {
  const program = builtProgram();
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const partly = `${program}.${process.pid}`;
  execFileSync("go", ["build", "-trimpath", "-tags", tags, "-o", partly, "."], {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  renameSync(partly, program);
  return program;
}

/** The folder with the sources of a Go module that the program is made of. */
export function moduleFolder(path: string): string {
  return execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", path], { cwd: folder, encoding: "utf8" }).trim();
}

function builtProgram(): string {
  const hash = createHash("sha256");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".go") || name.startsWith("go."))) {
    hash.update(readFileSync(join(folder, file)));
  }
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "tsbuilder/olm", hash.digest("hex").slice(0, 16), "olmprograms");
}
