import { announceTarget } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { olmFlags, placeFor } from "../olm-flags.ts";

export const cleanup = defineCommand({
  summary: "Delete an operator that OLM installed",
  description:
    "Deletes the package's Subscription, its CRDs with all their objects, the version that is installed, and the catalog and OperatorGroup that tsbuilder run bundle made. The namespace stays.",
  flags: {
    "delete-crds": {
      type: "boolean",
      summary: "delete the operator's CRDs, and with them all objects of its kinds",
      default: true,
    },
    ...olmFlags,
  },
  positionals: ["<package>"],
  refused: {
    "delete-all": "everything is deleted: keep the CRDs with --no-delete-crds",
    "delete-operator-groups": "only the OperatorGroup of tsbuilder run bundle is deleted",
  },
  examples: ["tsbuilder cleanup mysql-operator", "tsbuilder cleanup mysql-operator --no-delete-crds"],
  async run({ flags, positionals: [packageName = ""], ui }) {
    const { cleanUpPackage } = await import("../../olm/run/cleanup.ts");
    const place = placeFor(packageName, flags);
    await announceTarget(flags, ui, { action: "Deleting", namespace: place.namespace });
    for (const line of await cleanUpPackage(packageName, place, { deleteCrds: flags["delete-crds"] }))
      ui.print(line);
  },
});
