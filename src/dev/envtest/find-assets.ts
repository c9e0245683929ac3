import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { installEnvtest, officialIndex } from "./install-envtest.ts";

/** The folder of setup-envtest: a version that the one has installed, the other need not. */
export function sharedFolder(): string {
  const home = homedir();
  const data = {
    darwin: join(home, "Library", "Application Support", "io.kubebuilder.envtest"),
    win32: join(process.env["LocalAppData"] ?? home, "kubebuilder-envtest"),
  }[process.platform as string];
  const linux = join(process.env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "kubebuilder-envtest");
  return join(data ?? linux, "k8s");
}

/** This machine, as the names of archives write it. */
export function thisPlatform(): string {
  return `${PLATFORMS[process.platform] ?? process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
}

/** What Go calls the systems and machines, by Node's names. */
const PLATFORMS: Readonly<Record<string, string>> = { win32: "windows" };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** Finds the folder of kube-apiserver and etcd: the one of `KUBEBUILDER_ASSETS`, else the newest that is installed. */
export async function findAssets(given: string | undefined): Promise<string> {
  if (!given) return (await newestInstalled()).assets;
  const missing = ["kube-apiserver", "etcd"].find((program) => !existsSync(join(given, program)));
  if (missing === undefined) return given;
  throw new TsbuilderError(`KUBEBUILDER_ASSETS is "${given}", and there is no ${missing} in it`, {
    code: "NOT_FOUND",
    hint: 'install them: export KUBEBUILDER_ASSETS="$(tsbuilder envtest install)"',
  });
}

function newestInstalled(): ReturnType<typeof installEnvtest> {
  return installEnvtest({
    version: undefined,
    index: officialIndex,
    folder: sharedFolder(),
    isOffline: true,
    platform: thisPlatform(),
  }).catch((error: unknown) => {
    throw new TsbuilderError(`there is no kube-apiserver for the tests: ${(error as Error).message}`, {
      code: "NOT_FOUND",
      hint: "download one with tsbuilder envtest install, or set KUBEBUILDER_ASSETS to a folder that has one",
      cause: error,
    });
  });
}
