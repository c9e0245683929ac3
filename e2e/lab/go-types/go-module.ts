import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const cache = join(homedir(), ".cache", "tsbuilder", "go-types");
const environment = { ...process.env, GOFLAGS: "-mod=mod" };
const buffer = { maxBuffer: 1e9, stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };

/** Some packages of a Go module, at a version. */
export interface GoModule {
  readonly module: string;
  readonly version: string;
  /** Their paths in the module. */
  readonly packages: readonly string[];
}

export function importPaths({ module, packages }: GoModule): string[] {
  return packages.map((path) => (path === "." ? module : `${module}/${path}`));
}

/**
 * A folder with a Go module that depends on this one and on Kubernetes' types at the release of our tables. Its sources
 * stay in Go's own cache; the folder is kept, because resolving versions takes long.
 */
export function moduleFolder(wanted: GoModule): string {
  const folder = join(cache, `${wanted.module.replaceAll("/", "+")}@${wanted.version}`);
  if (existsSync(join(folder, "ready"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "go.mod"), "module example.com/operator\n\ngo 1.26.0\n");
  const kubernetes = ["api", "apimachinery", "apiextensions-apiserver"].map(
    (name) => `k8s.io/${name}@${release}`,
  );
  go(["get", ...importPaths(wanted).map((path) => `${path}@${wanted.version}`), ...kubernetes], folder);
  go(["list", "-deps", ...importPaths(wanted)], folder);
  writeFileSync(join(folder, "ready"), "");
  return folder;
}

const release = "v0.36.3";

/** Runs controller-gen over some packages; returns its files by name, and what it complained about. */
export function runControllerGen(
  binary: string,
  folder: string,
  paths: readonly string[],
  options: string,
): { files: ReadonlyMap<string, string>; complaints: string } {
  const output = mkdtempSync(join(tmpdir(), "tsbuilder-go-types-"));
  let complaints = "";
  try {
    const args = [`crd:${options}`, ...paths.map((path) => `paths=${path}`), `output:crd:dir=${output}`];
    execFileSync(binary, args, { cwd: folder, env: environment, ...buffer });
  } catch (error) {
    complaints = String((error as { stderr?: Buffer }).stderr ?? error);
  }
  const files = new Map(readdirSync(output).map((name) => [name, readFileSync(join(output, name), "utf8")]));
  rmSync(output, { recursive: true });
  return { files, complaints };
}

function go(args: readonly string[], cwd: string): void {
  execFileSync("go", args, { cwd, env: environment, ...buffer });
}
