import { basename, dirname, resolve } from "node:path";
import { Draft, everythingBelow } from "../../scaffold/tree.ts";
import { parseImageReference } from "../../ship/images/image-reference.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { catalogFolderFlag } from "../catalog-flags.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { refuseRules } from "../refuse-rules.ts";

export const catalogAdd = defineCommand({
  summary: "Add a bundle to a file-based OLM catalog",
  description:
    "Renders the folder of a bundle into the catalog, and adds an entry to each channel, with replaces, skips and olm.skipRange of the ClusterServiceVersion. A bundle with errors, and one that leaves the catalog invalid, is refused.",
  flags: {
    image: {
      type: "string",
      summary: "image that holds the bundle's files",
      placeholder: "IMAGE",
      required: true,
      prompt: "Image of the bundle:",
      check: parseImageReference,
    },
    channel: {
      type: "list",
      summary: "channels to add it to (default: those of the bundle)",
      placeholder: "CHANNEL",
    },
    catalog: catalogFolderFlag,
    ...planFlags,
  },
  positionals: ["[bundle]"],
  examples: ["tsbuilder catalog add bundle --image registry.example.com/mysql-operator-bundle:v1.0.0"],
  async run(call) {
    const { flags, positionals, cwd, ui } = call;
    const folder = resolve(cwd, positionals[0] ?? "bundle");
    const bundleTree = everythingBelow(dirname(folder));
    return openToChange(call, async ({ root, tree }) => {
      const [{ validateBundle }, { readBundle }, { addBundle }, { checkCatalog }, { bundleAnnotations }] =
        await Promise.all([
          import("../../olm/validate/validate-bundle.ts"),
          import("../../olm/validate/bundle.ts"),
          import("../../olm/catalog/edit-catalog.ts"),
          import("../../olm/catalog/check-catalog.ts"),
          import("../../olm/bundle-format.ts"),
        ]);
      refuseRules("the bundle is not valid", await validateBundle(bundleTree, basename(folder)));
      const { bundle } = readBundle(bundleTree, basename(folder));
      const own = bundle.annotations.get(bundleAnnotations.channels).text!.split(",");
      const channels = flags.channel.length > 0 ? flags.channel : own;
      const draft = new Draft(tree);
      addBundle(draft, bundle, { folder: flags.catalog, channels, image: flags.image });
      refuseRules(
        "the catalog would not be valid with this bundle",
        // The default channel may be one that gets its first bundle later.
        checkCatalog(draft, flags.catalog).filter(({ rule }) => rule !== "default-channel"),
      );
      applyOrShow(root, { changes: draft.changes(), notes: [] }, flags, ui);
    });
  },
});
