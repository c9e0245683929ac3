import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { defineCommand } from "../command.ts";

export const envtestInstall = defineCommand({
  summary: "Download kube-apiserver, etcd and kubectl for tests on a real API server",
  description:
    "Takes them from the official releases, checks their SHA-512, and prints the folder for KUBEBUILDER_ASSETS. It is the folder that setup-envtest uses, too. Without a version: the newest.",
  positionals: ["[version]"],
  flags: {
    index: {
      type: "string",
      summary: "address of the index, for a mirror (default: TSBUILDER_ENVTEST_INDEX, or the official one)",
      placeholder: "URL",
    },
    offline: { type: "boolean", summary: "use what is installed; download nothing", default: false },
    folder: { type: "string", summary: "folder that holds the versions", placeholder: "DIR" },
  },
  examples: ["tsbuilder envtest install 1.34", 'export KUBEBUILDER_ASSETS="$(tsbuilder envtest install)"'],
  async run({ flags, positionals, cwd, ui }) {
    const { installEnvtest, officialIndex } = await import("../../dev/envtest/install-envtest.ts");
    const { version, assets, isNew } = await installEnvtest({
      version: positionals[0],
      index: flags.index ?? process.env["TSBUILDER_ENVTEST_INDEX"] ?? officialIndex,
      folder: flags.folder === undefined ? sharedFolder() : resolve(cwd, flags.folder),
      isOffline: flags.offline,
      platform: `${PLATFORMS[process.platform] ?? process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`,
    });
    ui.note(
      `Kubernetes ${version} ${isNew ? "is installed" : "was installed already"}; set KUBEBUILDER_ASSETS to:`,
    );
    ui.print(assets);
  },
});

/** What Go calls the systems and machines, by Node's names. */
const PLATFORMS: Readonly<Record<string, string>> = { win32: "windows" };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64" };

/** The folder of setup-envtest: a version that the one has installed, the other need not. */
function sharedFolder(): string {
  const home = homedir();
  const data = {
    darwin: join(home, "Library", "Application Support", "io.kubebuilder.envtest"),
    win32: join(process.env["LocalAppData"] ?? home, "kubebuilder-envtest"),
  }[process.platform as string];
  const linux = join(process.env["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "kubebuilder-envtest");
  return join(data ?? linux, "k8s");
}
