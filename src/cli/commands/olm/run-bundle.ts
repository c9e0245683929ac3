import { basename, dirname, resolve } from "node:path";
import { parseInstallMode } from "../../../olm/run/install-mode.ts";
import type { Bundle } from "../../../olm/validate/bundle.ts";
import { everythingBelow } from "../../../scaffold/tree.ts";
import type { TsbuilderError } from "../../../shared/errors.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { announceTarget } from "../../arguments/cluster-flags.ts";
import type { FlagDefinition, FlagValues } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { refuseErrors, requireBundle } from "./findings.ts";
import { olmFlags, placeFor } from "./olm-flags.ts";

/** Flags for the catalog that serves a bundle to OLM. */
const servingFlags = {
  folder: flag.string("folder of the bundle, whose files the image has", "DIR", { default: "bundle" }),
  "opm-image": flag.string("image of opm, which serves the catalog", "IMAGE", {
    default: "quay.io/operator-framework/opm:latest",
  }),
  "pull-secret-name": flag.string("secret in the namespace with which OLM pulls the bundle's image", "NAME"),
  "security-context-config": {
    type: "string",
    summary: "security context of the catalog's pod",
    choices: ["restricted", "legacy"],
    default: "restricted",
  },
} as const satisfies Record<string, FlagDefinition>;

/** Flags of operator-sdk without effect here: it pulls images on this machine, and its catalog's pod differs. */
const servingIgnored = {
  ignored: {
    "ca-secret-name": "OLM unpacks the bundle: the nodes have to trust the registry",
    "service-account": "the catalog's pod needs no rights",
    "decompression-image": "the catalog's file is not compressed",
    "image-pull-policy": "Kubernetes pulls opm's image by its tag",
    mode: "the catalog has a channel of its own",
  },
  ignoredBooleans: {
    "skip-tls": "no image is pulled on this machine",
    "skip-tls-verify": "no image is pulled on this machine",
    "use-http": "no image is pulled on this machine",
  },
} as const;

export const runBundle = defineCommand({
  description:
    "Serves a catalog with the bundle in the cluster, subscribes to it, approves OLM's plan, and waits until the operator is available. The image has to hold the files of the folder: build and push it first. The cluster needs OLM v0. tsbuilder cleanup PACKAGE deletes it all.",
  flags: {
    ...servingFlags,
    "install-mode": flag.string(
      "AllNamespaces, OwnNamespace, SingleNamespace=NAME or MultiNamespace=NAME,NAME (default: the widest of the first two)",
      "MODE",
      { check: parseInstallMode },
    ),
    catalog: flag.string("image of a catalog that has the bundle, instead of one of its own", "IMAGE", {
      check: parseImageReference,
    }),
    channel: flag.string("channel in that catalog (default: the bundle's first)", "CHANNEL"),
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
    if (flags.channel !== undefined && flags.catalog === undefined) throw channelWithoutCatalog();
    const bundle = await readValidBundle(cwd, flags.folder);
    const [{ installBundle }, { csvNameOf, packageNameOf }, { bundleAnnotations }] = await Promise.all([
      import("../../../olm/run/run-bundle.ts"),
      import("../../../olm/validate/bundle.ts"),
      import("../../../olm/bundle-format.ts"),
    ]);
    const place = placeFor(packageNameOf(bundle), flags);
    const bundleChannel = bundle.annotations.get(bundleAnnotations.channels).text!.split(",")[0]!;
    await announceTarget(flags, ui, { action: "Installing with OLM", namespace: place.namespace });
    await installBundle(
      {
        bundle,
        image,
        ...servingOptions(flags),
        catalog:
          flags.catalog === undefined
            ? undefined
            : { image: flags.catalog, channel: flags.channel ?? bundleChannel },
        mode: flags["install-mode"] === undefined ? undefined : parseInstallMode(flags["install-mode"]),
        note: (text) => ui.note(text),
      },
      place,
    );
    ui.print(`OLM has installed ${csvNameOf(bundle)}`);
  },
});

function channelWithoutCatalog(): TsbuilderError {
  return invalidArgument(
    "--channel is for a catalog that is an image",
    "name it with --catalog: a catalog that tsbuilder makes has one channel",
  );
}

/** Reads a bundle; throws if it breaks a rule, since OLM would not install it. */
async function readValidBundle(cwd: string, written: string): Promise<Bundle> {
  const [{ validateBundle }, { readBundle }] = await Promise.all([
    import("../../../olm/validate/validate-bundle.ts"),
    import("../../../olm/validate/bundle.ts"),
  ]);
  const folder = resolve(cwd, written);
  requireBundle(folder, written);
  const tree = everythingBelow(dirname(folder));
  refuseErrors("the bundle is not valid", await validateBundle(tree, basename(folder)));
  return readBundle(tree, basename(folder)).bundle;
}

function servingOptions(flags: FlagValues<typeof servingFlags>) {
  return {
    opmImage: flags["opm-image"],
    pullSecret: flags["pull-secret-name"],
    isRestricted: flags["security-context-config"] === "restricted",
  };
}

export const runBundleUpgrade = defineCommand({
  description:
    "Adds the bundle to the catalog that tsbuilder run bundle serves, as what replaces the last one in it, approves OLM's plan, and waits until the new version is available.",
  flags: { ...servingFlags, ...olmFlags },
  positionals: ["<image>"],
  ...servingIgnored,
  examples: ["tsbuilder run bundle-upgrade registry.example.com/mysql-operator-bundle:v1.1.0"],
  async run({ flags, positionals: [image = ""], cwd, ui }) {
    parseImageReference(image);
    const bundle = await readValidBundle(cwd, flags.folder);
    const [{ upgradeBundle }, { csvNameOf, packageNameOf }] = await Promise.all([
      import("../../../olm/run/run-bundle.ts"),
      import("../../../olm/validate/bundle.ts"),
    ]);
    const place = placeFor(packageNameOf(bundle), flags);
    await announceTarget(flags, ui, { action: "Upgrading with OLM", namespace: place.namespace });
    const note = (text: string): void => ui.note(text);
    await upgradeBundle({ bundle, image, ...servingOptions(flags), note }, place);
    ui.print(`OLM has upgraded to ${csvNameOf(bundle)}`);
  },
});
