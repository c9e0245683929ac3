// Programs named kube-apiserver and etcd for envtest, which run the embedded cluster. This file writes them to a
// folder; `kube-apiserver.ts` and `etcd.ts` are what they run.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The programs that envtest starts, and the function that the file of each runs. */
const programs = { "kube-apiserver": "runKubeApiserver", etcd: "runEtcd" };

/**
 * Writes programs named `kube-apiserver` and `etcd` to a folder. With `KUBEBUILDER_ASSETS` set to this folder, operators
 * in Go, Java or Rust run their envtest suites on the embedded cluster. Returns the paths. The programs load this package;
 * a program that has bundled it says with `packageUrl` where it is installed: the URL of its entry.
 */
export function installLaunchers(
  folder: string,
  { packageUrl = new URL(`../index.${extensionOf(import.meta.url)}`, import.meta.url).href } = {},
): string[] {
  mkdirSync(folder, { recursive: true });
  const extension = extensionOf(packageUrl);
  return Object.entries(programs).map(([name, run]) => {
    const path = join(folder, name);
    const url = new URL(`launchers/${name}.${extension}`, packageUrl).href;
    const loader =
      extension === "ts" ? ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")] : [];
    const words = [process.execPath, ...loader].map((word) => `'${word}'`).join(" ");
    const code = `import(${JSON.stringify(url)}).then((launcher) => launcher.${run}(process.argv.slice(1)))`;
    writeFileSync(path, `#!/bin/sh\nexec ${words} --input-type=module -e '${code}' -- "$@"\n`);
    chmodSync(path, 0o755);
    return path;
  });
}

/** `ts` where the sources run, `js` where the package is compiled. */
function extensionOf(url: string): "ts" | "js" {
  return url.endsWith(".ts") ? "ts" : "js";
}
