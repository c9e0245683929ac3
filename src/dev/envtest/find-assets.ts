import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { launchersFolder } from "./use-launchers.ts";
import { installEnvtest, officialIndex } from "./install-envtest.ts";

/** Finds kube-apiserver and etcd: in `KUBEBUILDER_ASSETS`, else the latest installed version. Throws if one is missing. */
export async function findAssets(folder: string | undefined): Promise<string> {
  if (!folder) return (await findNewestInstalled()).assets;
  if (resolve(folder) === launchersFolder()) {
    throw new TsbuilderError("KUBEBUILDER_ASSETS names the embedded cluster, which is no real API server", {
      code: "REFUSED",
      hint: "unset KUBEBUILDER_ASSETS, which tsbuilder envtest use has set in this shell",
    });
  }
  const missing = ["kube-apiserver", "etcd"].find((program) => !existsSync(join(folder, program)));
  if (missing === undefined) return folder;
  throw new TsbuilderError(`KUBEBUILDER_ASSETS is "${folder}", which does not contain ${missing}`, {
    code: "NOT_FOUND",
    hint: 'install them: export KUBEBUILDER_ASSETS="$(tsbuilder envtest install)"',
  });
}

/** The folder of setup-envtest, so that both share installed versions. */
export function sharedFolder(): string {
  const home = homedir();
  const data = {
    darwin: join(home, "Library", "Application Support", "io.kubebuilder.envtest"),
    win32: join(process.env["LocalAppData"] ?? home, "kubebuilder-envtest"),
  }[process.platform as string];
  const linux = join(process.env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "kubebuilder-envtest");
  return join(data ?? linux, "k8s");
}

/** Go's names of systems and architectures, where they differ from Node's. */
const platforms: Readonly<Record<string, string>> = { win32: "windows" };
const architectures: Readonly<Record<string, string>> = { x64: "amd64" };

/** The platform of this machine, as in the names of archives. */
export function thisPlatform(): string {
  return `${platforms[process.platform] ?? process.platform}-${architectures[process.arch] ?? process.arch}`;
}

function findNewestInstalled(): ReturnType<typeof installEnvtest> {
  return installEnvtest({
    version: undefined,
    index: officialIndex,
    folder: sharedFolder(),
    isOffline: true,
    platform: thisPlatform(),
  }).catch((error: unknown) => {
    throw new TsbuilderError(`kube-apiserver not found for the tests: ${(error as Error).message}`, {
      code: "NOT_FOUND",
      hint: "download one with tsbuilder envtest install, or set KUBEBUILDER_ASSETS to a folder that contains one",
      cause: error,
    });
  });
}
