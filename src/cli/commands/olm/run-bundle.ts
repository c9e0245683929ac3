import { parseInstallMode } from "../../../olm/run/install-mode.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { announceTarget } from "../../arguments/cluster-flags.ts";
import { defineCommand } from "../../arguments/command.ts";
import {
  olmFlags,
  placeFor,
  readValidBundle,
  servingFlags,
  servingIgnored,
  servingOptions,
} from "./olm-flags.ts";

export const runBundle = defineCommand({
  summary: "Have OLM install a bundle",
  description:
    "Serves a catalog with the bundle in the cluster, subscribes to it, approves OLM's plan, and waits until the operator is available. The image has to hold the files of the folder: build and push it first. The cluster needs OLM v0. tsbuilder cleanup PACKAGE deletes it all.",
  flags: {
    ...servingFlags,
    "install-mode": {
      type: "string",
      summary:
        "AllNamespaces, OwnNamespace, SingleNamespace=NAME or MultiNamespace=NAME,NAME (default: the widest of the first two)",
      placeholder: "MODE",
      check: parseInstallMode,
    },
    catalog: {
      type: "string",
      summary: "image of a catalog that has the bundle, instead of one of its own",
      placeholder: "IMAGE",
      check: parseImageReference,
    },
    channel: {
      type: "string",
      summary: "channel in that catalog (default: the bundle's first)",
      placeholder: "CHANNEL",
    },
    ...olmFlags,
  },
  positionals: ["<image>"],
  ...servingIgnored,
  refused: {
    "index-image":
      "nothing is added to an existing image: build a catalog with tsbuilder catalog, and name it with --catalog",
  },
  examples: [
    "tsbuilder run bundle registry.example.com/mysql-operator-bundle:v1.0.0",
    "tsbuilder run bundle registry.example.com/mysql-operator-bundle:v1.0.0 --install-mode SingleNamespace=shop",
  ],
  async run({ flags, positionals: [image = ""], cwd, ui }) {
    parseImageReference(image);
    if (flags.channel !== undefined && flags.catalog === undefined) throw onlyWithCatalog();
    const bundle = await readValidBundle(cwd, flags.folder);
    const [{ installBundle }, { csvNameOf, packageOf }, { bundleAnnotations }] = await Promise.all([
      import("../../../olm/run/run-bundle.ts"),
      import("../../../olm/run/catalog-objects.ts"),
      import("../../../olm/bundle-format.ts"),
    ]);
    const place = placeFor(packageOf(bundle), flags);
    const first = bundle.annotations.get(bundleAnnotations.channels).text!.split(",")[0]!;
    await announceTarget(flags, ui, { action: "Installing with OLM", namespace: place.namespace });
    await installBundle(
      {
        bundle,
        image,
        ...servingOptions(flags),
        catalog:
          flags.catalog === undefined ? undefined : { image: flags.catalog, channel: flags.channel ?? first },
        mode: flags["install-mode"] === undefined ? undefined : parseInstallMode(flags["install-mode"]),
        note: (text) => ui.note(text),
      },
      place,
    );
    ui.print(`OLM has installed ${csvNameOf(bundle)}`);
  },
});

function onlyWithCatalog(): TsbuilderError {
  return new TsbuilderError("--channel is for a catalog that is an image", {
    code: "INVALID_ARGUMENT",
    hint: "name it with --catalog: a catalog that tsbuilder makes has one channel",
  });
}

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
      import("../../../olm/run/run-bundle.ts"),
      import("../../../olm/run/catalog-objects.ts"),
    ]);
    const place = placeFor(packageOf(bundle), flags);
    await announceTarget(flags, ui, { action: "Upgrading with OLM", namespace: place.namespace });
    const note = (text: string): void => ui.note(text);
    await upgradeBundle({ bundle, image, ...servingOptions(flags), note }, place);
    ui.print(`OLM has upgraded to ${csvNameOf(bundle)}`);
  },
});
