import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** The release that the embedded cluster is compared with. */
export const kubernetesVersion = "1.36.3";
const etcdVersion = "3.6.8";

/** The folder of the binaries of a real control plane, or why they are not available. */
export type Binaries = { readonly folder: string } | { readonly missing: string };

/**
 * Finds the binaries in `KUBEBUILDER_ASSETS`, else in the cache, else builds them there from their Go modules.
 * kube-controller-manager may be missing in `KUBEBUILDER_ASSETS`; tests that need it report that.
 */
export function findBinaries({ build = true } = {}): Binaries {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets) return { folder: assets };
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder/control-plane", kubernetesVersion);
  if (targets.every(({ output }) => existsSync(join(folder, output)))) return { folder };
  if (!build) return { missing: `no control plane in "${folder}": npm run e2e:real:build makes it` };
  if (spawnSync("go", ["version"]).status !== 0) {
    return { missing: "no Go to build kube-apiserver with, and KUBEBUILDER_ASSETS is not set" };
  }
  buildInto(folder);
  return { folder };
}

const versionFlags = ["gitVersion=v", "gitMajor=", "gitMinor="]
  .map((field, at) => {
    const value = at === 0 ? kubernetesVersion : kubernetesVersion.split(".")[at - 1];
    return `-X k8s.io/component-base/version.${field}${value}`;
  })
  .join(" ");

const targets = [
  { output: "etcd", path: "go.etcd.io/etcd/server/v3" },
  { output: "kube-apiserver", path: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { output: "kube-controller-manager", path: "k8s.io/kubernetes/cmd/kube-controller-manager" },
];

/** Kubernetes' module can't be installed by its path (it replaces its own parts), so a wrapper module builds it. */
function buildInto(folder: string): void {
  const work = mkdtempSync(join(tmpdir(), "control-plane-"));
  const go = (...args: string[]): string =>
    execFileSync("go", args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  try {
    writeFileSync(join(work, "go.mod"), "module controlplane\n\ngo 1.26.0\n");
    const { GoMod } = JSON.parse(
      go("mod", "download", "-json", `k8s.io/kubernetes@v${kubernetesVersion}`),
    ) as {
      GoMod: string;
    };
    writeFileSync(join(work, "go.mod"), moduleFile(readFileSync(GoMod, "utf8")));
    const imports = targets.map(({ path }) => `import _ "${path}"`).join("\n");
    writeFileSync(join(work, "tools.go"), `//go:build tools\n\npackage tools\n\n${imports}\n`);
    go("mod", "tidy", "-e");
    mkdirSync(folder, { recursive: true });
    for (const { output, path } of targets) {
      const built = join(work, "out");
      go("build", "-trimpath", "-ldflags", `-s -w ${versionFlags}`, "-o", built, path);
      execFileSync("cp", [built, join(folder, `.${output}`)]);
      renameSync(join(folder, `.${output}`), join(folder, output));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The staging modules of Kubernetes are published as separate modules, v0.x for v1.x. */
function moduleFile(kubernetes: string): string {
  const parts = [...kubernetes.matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging/gm)].map((match) => match[1]!);
  const version = kubernetesVersion.replace(/^1/, "v0");
  return [
    "module controlplane",
    "go 1.26.0",
    `require k8s.io/kubernetes v${kubernetesVersion}`,
    `require go.etcd.io/etcd/server/v3 v${etcdVersion}`,
    ...parts.map((part) => `replace ${part} => ${part} ${version}`),
    "",
  ].join("\n\n");
}
