import { resolve } from "node:path";
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
    const { sharedFolder, thisPlatform } = await import("../../dev/envtest/find-assets.ts");
    const { version, assets, isNew } = await installEnvtest({
      version: positionals[0],
      index: flags.index ?? process.env["TSBUILDER_ENVTEST_INDEX"] ?? officialIndex,
      folder: flags.folder === undefined ? sharedFolder() : resolve(cwd, flags.folder),
      isOffline: flags.offline,
      platform: thisPlatform(),
    });
    ui.note(
      `Kubernetes ${version} ${isNew ? "is installed" : "was installed already"}; set KUBEBUILDER_ASSETS to:`,
    );
    ui.print(assets);
  },
});
