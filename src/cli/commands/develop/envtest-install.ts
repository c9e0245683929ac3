import { resolve } from "node:path";
import { defineCommand, flag } from "../../arguments/command.ts";

export const envtestInstall = defineCommand({
  description:
    "Downloads the official releases, verifies their SHA-512 checksums, and prints the folder to use as KUBEBUILDER_ASSETS. The folder is shared with setup-envtest. Without a version, the latest one is installed.",
  positionals: ["[version]"],
  flags: {
    index: flag.string(
      "URL of the release index, for a mirror (default: TSBUILDER_ENVTEST_INDEX, or the official index)",
      "URL",
    ),
    offline: flag.switch("only use versions that are installed; download nothing"),
    folder: flag.string("folder that the versions are installed in", "DIR"),
  },
  examples: ["tsbuilder envtest install 1.34", 'export KUBEBUILDER_ASSETS="$(tsbuilder envtest install)"'],
  async run({ flags, positionals, cwd, ui }) {
    const { installEnvtest, officialIndex } = await import("../../../dev/envtest/install-envtest.ts");
    const { sharedFolder, thisPlatform } = await import("../../../dev/envtest/find-assets.ts");
    const { version, assets, isNew } = await installEnvtest({
      version: positionals[0],
      index: flags.index ?? process.env["TSBUILDER_ENVTEST_INDEX"] ?? officialIndex,
      folder: flags.folder === undefined ? sharedFolder() : resolve(cwd, flags.folder),
      isOffline: flags.offline,
      platform: thisPlatform(),
    });
    ui.note(
      `Kubernetes ${version} ${isNew ? "is installed" : "is already installed"}; set KUBEBUILDER_ASSETS to:`,
    );
    ui.print(assets);
  },
});
