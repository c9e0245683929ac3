import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { TsbuilderError } from "../../shared/errors.ts";
import { openStateHome } from "../../shared/own-folder.ts";
import { readControllers } from "../cluster/foreground-cluster.ts";

/** The cluster that envtest suites get. */
export interface LaunchersOptions {
  /** `all`, `none`, or names separated by commas. Default: none, as in envtest. */
  readonly controllers?: string | undefined;
  /** The release of Kubernetes. Default: that of the environment variable, or 1.36. */
  readonly kubernetesVersion?: string | undefined;
}

/**
 * Writes programs named `kube-apiserver` and `etcd` that run the embedded cluster, to a folder that only this user can change.
 * Returns the environment variables with which an envtest suite starts them; undefined is a variable to unset.
 */
export async function useLaunchers({
  controllers,
  kubernetesVersion,
}: LaunchersOptions): Promise<Readonly<Record<string, string | undefined>>> {
  if (process.platform === "win32") {
    throw new TsbuilderError("tsbuilder envtest use doesn't work on Windows", {
      code: "REFUSED",
      hint: "run it, and the suite, in the Windows Subsystem for Linux",
    });
  }
  if (controllers !== undefined) await readControllers(controllers);
  const folder = openStateHome(launchers, process.env, { make: true });
  if (typeof folder !== "string") {
    throw new TsbuilderError(`there is no folder for the programs: ${folder.reason}`, {
      code: "REFUSED",
      hint: "set XDG_STATE_HOME to a folder that only you can change",
    });
  }
  const { installLaunchers } = await import("@tsbuilder/cluster");
  installLaunchers(folder, import.meta.url.endsWith(".ts") ? {} : { packageUrl: installedPackage() });
  return {
    KUBEBUILDER_ASSETS: folder,
    // These win over everything else, such as the KUBEBUILDER_ASSETS that the Makefile of a kubebuilder project sets.
    TEST_ASSET_KUBE_APISERVER: join(folder, "kube-apiserver"),
    TEST_ASSET_ETCD: join(folder, "etcd"),
    TSBUILDER_CONTROLLERS: controllers,
    ...(kubernetesVersion !== undefined && { TSBUILDER_KUBERNETES_VERSION: kubernetesVersion }),
  };
}

/** The URL of the installed package. The CLI's bundle has a copy of it, but no module that another program could load. */
function installedPackage(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("@tsbuilder/cluster")).href;
}

const launchers = "envtest";

/** The folder of the programs; undefined if this user has none. */
export function launchersFolder(): string | undefined {
  const folder = openStateHome(launchers, process.env, { make: false });
  return typeof folder === "string" ? folder : undefined;
}
