import { announceTarget } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { olmFlags, placeFor } from "./olm-flags.ts";

export const cleanup = defineCommand({
  description:
    "Deletes what tsbuilder run bundle made: the package's Subscription, its CRDs with all their objects, its versions, the OperatorGroup and the catalog. The namespace stays. What other catalogs installed is refused.",
  flags: {
    "delete-crds": flag.switch("delete the operator's CRDs, and with them all objects of its kinds", {
      default: true,
    }),
    "delete-all": flag.switch("operator-sdk's flag: it is so", { default: true, hidden: true }),
    ...olmFlags,
  },
  positionals: ["<package>"],
  refused: { "delete-operator-groups": "only the OperatorGroup of tsbuilder run bundle is deleted" },
  examples: ["tsbuilder cleanup mysql-operator", "tsbuilder cleanup mysql-operator --no-delete-crds"],
  async run({ flags, positionals: [packageName = ""], ui }) {
    if (!flags["delete-all"]) {
      throw invalidArgument(
        "--delete-all=false does not say what to keep",
        "use --no-delete-crds to keep the CRDs",
      );
    }
    const { cleanUpPackage } = await import("../../../olm/run/run-bundle.ts");
    const place = placeFor(packageName, flags);
    await announceTarget(flags, ui, { action: "Deleting", namespace: place.namespace });
    for (const line of await cleanUpPackage(packageName, place, { deleteCrds: flags["delete-crds"] }))
      ui.print(line);
  },
});
