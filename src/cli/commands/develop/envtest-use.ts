import { quoteWord } from "../../../shared/text.ts";
import { releaseFlag } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";

export const envtestUse = defineCommand({
  description:
    "Prints the environment variables with which an envtest suite of any language starts the embedded cluster as its kube-apiserver and etcd. Nothing is downloaded, and the suite isn't changed. It also overrides the KUBEBUILDER_ASSETS that a Makefile sets. To go back, open another shell.",
  flags: {
    controllers: flag.string(
      "controllers to run, too: all, or a comma-separated list of names (default: none, as in envtest)",
      "NAMES",
    ),
    "kubernetes-version": releaseFlag,
  },
  examples: [
    'eval "$(tsbuilder envtest use)" && go test ./...',
    'eval "$(tsbuilder envtest use --controllers garbagecollector,namespace)"',
  ],
  async run({ flags, ui }) {
    const { useLaunchers } = await import("../../../dev/envtest/use-launchers.ts");
    const { controllers, "kubernetes-version": kubernetesVersion } = flags;
    const variables = await useLaunchers({ controllers, kubernetesVersion });
    for (const [name, value] of Object.entries(variables))
      ui.print(value === undefined ? `unset ${name}` : `export ${name}=${quoteWord(value)}`);
  },
});
