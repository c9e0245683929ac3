import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { downloadGoModule, type GoModule } from "../../support/go-module.ts";

/** The version that the embedded cluster is compared with, which serves the same release then. */
export const defaultVersion = "1.36.3";
export const kubernetesVersion = process.env["KUBERNETES_VERSION"] || defaultVersion;
const etcdVersion = "3.6.8";

/** A program of Kubernetes or etcd, by the path of its Go package. */
export interface Target {
  readonly output: string;
  readonly path: string;
  /** True if the program is the test binary of that package. */
  readonly isTest?: boolean;
  /** True for a program that runs in images without libraries. */
  readonly isStatic?: boolean;
  /** The text of the program, if it is not Kubernetes' own: then the path begins with a dot. */
  readonly source?: string;
}

/** The folder in the cache for programs of this release. */
export function cacheFolder(name: string): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(cache, "tsbuilder", name, kubernetesVersion);
}

function versionFlags(version: string): string {
  return ["gitVersion=v", "gitMajor=", "gitMinor="]
    .map((field, at) => {
      const value = at === 0 ? version : version.split(".")[at - 1];
      return `-X k8s.io/component-base/version.${field}${value}`;
    })
    .join(" ");
}

/** Downloads a part of Kubernetes, such as `kubernetes` or `apiextensions-apiserver`. A newer release may need a newer Go. */
export function downloadKubernetes(part: string, version = kubernetesVersion): GoModule {
  return downloadGoModule(`k8s.io/${part}@v${part === "kubernetes" ? version : version.replace(/^1/u, "0")}`);
}

/**
 * Builds programs. Kubernetes' module can't be installed by its path (it replaces its own parts), so a wrapper module
 * builds it. Returns the folder of Kubernetes' module.
 */
export function buildKubernetes(
  folder: string,
  targets: readonly Target[],
  version = kubernetesVersion,
): string {
  const work = mkdtempSync(join(tmpdir(), "kubernetes-"));
  const goWith = (env: Readonly<Record<string, string>>, ...args: string[]): string =>
    execFileSync("go", args, {
      cwd: work,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
  const go = (...args: string[]): string => goWith({}, ...args);
  try {
    const { GoMod, Dir } = downloadKubernetes("kubernetes", version);
    writeFileSync(join(work, "go.mod"), moduleFile(readFileSync(GoMod, "utf8"), version));
    const imports = targets.flatMap(({ path, source }) => (source === undefined ? `import _ "${path}"` : []));
    writeFileSync(join(work, "tools.go"), `//go:build tools\n\npackage tools\n\n${imports.join("\n")}\n`);
    for (const { path, source } of targets) {
      if (source === undefined) continue;
      mkdirSync(join(work, path));
      writeFileSync(join(work, path, "main.go"), source);
    }
    go("mod", "tidy", "-e");
    mkdirSync(folder, { recursive: true });
    for (const { output, path, isTest = false, isStatic = false } of targets) {
      const built = join(work, "out");
      const command = isTest ? ["test", "-c", "-vet=off"] : ["build"];
      const flags = ["-trimpath", "-ldflags", `-s -w ${versionFlags(version)}`, "-o", built];
      goWith(isStatic ? { CGO_ENABLED: "0" } : {}, ...command, ...flags, path);
      execFileSync("cp", [built, join(folder, `.${output}`)]);
      renameSync(join(folder, `.${output}`), join(folder, output));
    }
    return Dir;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The staging modules of Kubernetes are published as separate modules, v0.x for v1.x. */
export function moduleFile(kubernetes: string, version: string): string {
  const parts = [...kubernetes.matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging/gm)].map((match) => match[1]!);
  const partVersion = version.replace(/^1/, "v0");
  return [
    "module kubernetes",
    "go 1.26.0",
    `require k8s.io/kubernetes v${version}`,
    `require go.etcd.io/etcd/server/v3 v${etcdVersion}`,
    ...parts.map((part) => `replace ${part} => ${part} ${partVersion}`),
    "",
  ].join("\n\n");
}
