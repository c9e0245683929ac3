import { newChannel } from "../../olm/bundle-format.ts";
import { parseImageReference } from "../../ship/images/image-reference.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { catalogFolderFlag } from "../catalog-flags.ts";
import { defineCommand } from "../command.ts";
import { viewProject } from "../open-project.ts";

export const catalogShow = defineCommand({
  summary: "Print manifests that install a package from the catalog's image",
  description:
    "Prints a ClusterCatalog and a ClusterExtension for OLM v1, with a service account that may do everything, or a CatalogSource, an OperatorGroup for all namespaces and a Subscription for OLM v0. No cluster is contacted.",
  flags: {
    image: {
      type: "string",
      summary: "image of the catalog",
      placeholder: "IMAGE",
      required: true,
      prompt: "Image of the catalog:",
      check: parseImageReference,
    },
    olm: { type: "string", summary: "version of OLM", choices: ["v0", "v1"], default: "v1" },
    channel: {
      type: "string",
      summary: "channel to install from (default: that of the package)",
      placeholder: "CHANNEL",
    },
    namespace: {
      type: "string",
      summary: "namespace to install into (default: PACKAGE-system)",
      placeholder: "NAMESPACE",
    },
    catalog: catalogFolderFlag,
  },
  positionals: ["<package>"],
  examples: [
    "tsbuilder catalog show mysql-operator --image registry.example.com/catalog:v1 | kubectl apply -f -",
  ],
  async run({ flags, positionals, cwd, ui }) {
    const [{ installSamples }, { readCatalog }] = await Promise.all([
      import("../../olm/catalog/install-samples.ts"),
      import("../../olm/catalog/catalog.ts"),
    ]);
    const [packageName = ""] = positionals;
    const { catalog } = readCatalog(viewProject(cwd, ui).tree, flags.catalog);
    const found = catalog.packages.find((one) => one.get("name").value === packageName);
    if (!found) {
      throw new TsbuilderError(`"${flags.catalog}" has no package "${packageName}"`, {
        code: "NOT_FOUND",
        hint: `create it with tsbuilder catalog init ${packageName}`,
      });
    }
    const inCatalog = catalog.channels.find((one) => one.get("package").value === packageName);
    const channel =
      flags.channel ?? found.get("defaultChannel").text ?? inCatalog?.get("name").text ?? newChannel;
    const namespace = flags.namespace ?? `${packageName}-system`;
    ui.print(
      installSamples(flags.olm === "v0" ? "v0" : "v1", {
        packageName,
        channel,
        image: flags.image,
        namespace,
      }).trimEnd(),
    );
  },
});
