import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, downloadKubernetes, kubernetesVersion, moduleFile } from "../real/build-kubernetes.ts";

/** An object that a test of Kubernetes tries, with what the function that it tests says. */
export interface RecordedCase {
  readonly function: string;
  readonly test: string;
  readonly at: string;
  /** Where the part that the function got was put into the object. */
  readonly part?: string;
  /** The reason for a missing object. */
  readonly problem?: string;
  readonly object?: RecordedObject;
  readonly old?: RecordedObject;
  /** The schema of a custom resource, a value of it, and the one that it replaces. */
  readonly schema?: object;
  readonly value?: unknown;
  readonly oldValue?: unknown;
  /** True if the function returned a list of errors. */
  readonly judged: boolean;
  readonly errors?: ReadonlyArray<{ readonly type: string; readonly field: string }>;
}

export interface RecordedObject {
  apiVersion: string;
  kind: string;
  metadata?: Record<string, unknown>;
}

/** The record in the cache. */
export const recordFile = (): string => join(cacheFolder("cases"), "cases.jsonl");

/**
 * Runs the tests of Kubernetes' packages that validate, rewritten so that they record what they try (rewrite.go, recorder.go),
 * and stores the record in the cache. Nothing of it is committed: the tests come with Kubernetes' Go module.
 */
export function record(): void {
  const work = mkdtempSync(join(tmpdir(), "kubernetes-cases-"));
  const go = (...args: string[]): string =>
    execFileSync("go", args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  try {
    const kubernetes = downloadKubernetes("kubernetes");
    const extensions = downloadKubernetes("apiextensions-apiserver");
    writeFileSync(
      join(work, "go.mod"),
      moduleFile(readFileSync(kubernetes.GoMod, "utf8"), kubernetesVersion),
    );
    writeFileSync(
      join(work, "tools.go"),
      `//go:build tools\n\npackage tools\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver"\n`,
    );
    write(work, "recorder/recorder.go", readFileSync(new URL("recorder.go", import.meta.url), "utf8"));
    write(work, "recorder/kinds.go", installing(kubernetes.Dir));
    write(work, "rewrite/main.go", readFileSync(new URL("rewrite.go", import.meta.url), "utf8"));
    const packages = [
      ...tested(kubernetes.Dir, "pkg/apis"),
      ...tested(kubernetes.Dir, "pkg/registry"),
      ...tested(extensions.Dir, "pkg/apis"),
      ...tested(extensions.Dir, "pkg/apiserver/schema"),
    ];
    go("run", "./rewrite", work, ...packages);
    go("mod", "tidy", "-e");
    const cases = join(work, "cases.jsonl");
    const run = spawnSync("go", ["test", "-trimpath", "-vet=off", "-count=1", "./pkg/..."], {
      cwd: work,
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, CASES: cases },
    });
    if (!existsSync(cases)) throw new Error(`nothing was recorded: ${run.status}`);
    mkdirSync(cacheFolder("cases"), { recursive: true });
    execFileSync("cp", [cases, `${recordFile()}.new`]);
    renameSync(`${recordFile()}.new`, recordFile());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A file that makes Kubernetes' scheme know all kinds. */
function installing(module: string): string {
  const groups = readdirSync(join(module, "pkg/apis")).filter((group) =>
    existsSync(join(module, "pkg/apis", group, "install")),
  );
  const imports = groups.map((group) => `import _ "k8s.io/kubernetes/pkg/apis/${group}/install"`);
  return `package recorder\n\n${imports.join("\n")}\n`;
}

/** The packages below a folder whose tests validate, as SOURCE=PATH. */
function tested(module: string, folder: string): string[] {
  const packages: string[] = [];
  const walk = (path: string): void => {
    const entries = readdirSync(join(module, path), { withFileTypes: true });
    const isTested = entries.some(({ name }) => isTest(path, name));
    if (isTested) packages.push(`${join(module, path)}=${path}`);
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== "testdata") walk(join(path, entry.name));
    }
  };
  walk(folder);
  return packages;
}

function isTest(folder: string, file: string): boolean {
  if (/\/(?:validation|schema\/cel|listtype)$/u.test(folder)) return file.endsWith("_test.go");
  return folder.startsWith("pkg/registry/") && /(strategy|declarative_validation)_test\.go$/u.test(file);
}
