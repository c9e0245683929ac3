import { parseImageReference } from "../../ship/images/image-reference.ts";
import { announceTarget } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import {
  olmFlags,
  placeFor,
  readValidBundle,
  servingFlags,
  servingIgnored,
  servingOptions,
} from "../olm-flags.ts";

export const runBundleUpgrade = defineCommand({
  summary: "Have OLM upgrade what run bundle installed",
  description:
    "Adds the bundle to the catalog that tsbuilder run bundle serves, as what replaces the last one in it, approves OLM's plan, and waits until the new version is available.",
  flags: { ...servingFlags, ...olmFlags },
  positionals: ["<image>"],
  ...servingIgnored,
  examples: ["tsbuilder run bundle-upgrade registry.example.com/mysql-operator-bundle:v1.1.0"],
  async run({ flags, positionals: [image = ""], cwd, ui }) {
    parseImageReference(image);
    const bundle = await readValidBundle(cwd, flags.folder);
    const [{ upgradeBundle }, { csvNameOf, packageOf }] = await Promise.all([
      import("../../olm/run/run-bundle.ts"),
      import("../../olm/run/catalog-objects.ts"),
    ]);
    const place = placeFor(packageOf(bundle), flags);
    await announceTarget(flags, ui, { action: "Upgrading with OLM", namespace: place.namespace });
    const note = (text: string): void => ui.note(text);
    await upgradeBundle({ bundle, image, ...servingOptions(flags), note }, place);
    ui.print(`OLM has upgraded to ${csvNameOf(bundle)}`);
  },
});
