import { readFileSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { bundleAnnotations, newChannel } from "../../../olm/bundle-format.ts";
import { everythingBelow } from "../../../scaffold/tree.ts";
import { atFile } from "../../../shared/files.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { changeFiles, openProject, planFlags, viewProject } from "../../project/open-project.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { checkFolder, readIcon } from "../../arguments/flag-values.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { refuseErrors, reportFindings } from "./findings.ts";
import { buildFolderImage, requireFolder } from "./folder-image.ts";
import { toolFlag } from "../../arguments/image-flags.ts";

/** The folder of a catalog in the project, for every command that changes or builds it. */
const catalogFolderFlag = flag.string("folder of the catalog, in the project", "DIR", {
  default: "catalog",
  check: checkFolder,
});

export const catalogInit = defineCommand({
  description:
    "Writes catalog/PACKAGE/catalog.yaml, to which catalog add adds channels and bundles, and catalog.Dockerfile, both of which are yours.",
  flags: {
    "default-channel": flag.string(
      `channel from which the package is installed if none is named (default: that of the package's bundle in bundle/, else ${newChannel})`,
      "CHANNEL",
    ),
    description: flag.string("file with the package's description, in Markdown", "FILE"),
    icon: flag.string("file with the package's icon", "FILE"),
    catalog: catalogFolderFlag,
    ...planFlags,
  },
  positionals: ["<package>"],
  examples: ["tsbuilder catalog init mysql-operator --description README.md"],
  async run(call) {
    const { flags, positionals, cwd } = call;
    const [name = ""] = positionals;
    const [reason] = checkSubdomain(name);
    if (reason !== undefined) {
      throw new TsbuilderError(`the package name "${name}" ${reason}`, {
        code: "INVALID_NAME",
        hint: "use the name in bundle/metadata/annotations.yaml, such as mysql-operator",
      });
    }
    return changeFiles(call, async (draft, { tree }) => {
      const [{ newPackage }, { readAnnotations }] = await Promise.all([
        import("../../../olm/catalog/edit-catalog.ts"),
        import("../../../olm/bundle/bundle-metadata.ts"),
      ]);
      const file = "bundle/metadata/annotations.yaml";
      const annotations = readAnnotations(file, tree.read(file));
      const packageAnnotations = annotations[bundleAnnotations.package] === name ? annotations : {};
      const [firstChannel] = packageAnnotations[bundleAnnotations.channels]?.split(",") ?? [];
      const files = newPackage(flags.catalog, {
        name,
        defaultChannel:
          flags["default-channel"] ??
          packageAnnotations[bundleAnnotations.defaultChannel] ??
          firstChannel ??
          newChannel,
        description: flags.description === undefined ? undefined : readText(cwd, flags.description),
        icon: flags.icon === undefined ? undefined : readIcon(cwd, flags.icon),
      });
      for (const [path, text] of Object.entries(files)) {
        if (!tree.has(path)) draft.write(path, text);
        else if (path.startsWith(`${flags.catalog}/`)) {
          throw new TsbuilderError(`"${path}" exists already`, {
            code: "ALREADY_EXISTS",
            hint: "edit it, or add a bundle to it: tsbuilder catalog add bundle --image IMAGE",
          });
        }
      }
      return [];
    });
  },
});

function readText(cwd: string, file: string): string {
  return atFile(file, () => readFileSync(resolve(cwd, file), "utf8"));
}

export const catalogAdd = defineCommand({
  description:
    "Renders the folder of a bundle into the catalog, and adds an entry to each channel, with replaces, skips and olm.skipRange of the ClusterServiceVersion. A bundle with errors, and one that leaves the catalog invalid, is refused.",
  flags: {
    image: flag.string("image that holds the bundle's files", "IMAGE", {
      required: true,
      prompt: "Image of the bundle:",
      check: parseImageReference,
    }),
    channel: flag.list("channels to add it to (default: those of the bundle)", "CHANNEL"),
    catalog: catalogFolderFlag,
    ...planFlags,
  },
  positionals: ["[bundle]"],
  examples: ["tsbuilder catalog add bundle --image registry.example.com/mysql-operator-bundle:v1.0.0"],
  async run(call) {
    const { flags, positionals, cwd } = call;
    const folder = resolve(cwd, positionals[0] ?? "bundle");
    const bundleTree = everythingBelow(dirname(folder));
    return changeFiles(call, async (draft) => {
      const [{ validateBundle }, { readBundle }, { addBundle }, { checkCatalog }] = await Promise.all([
        import("../../../olm/validate/validate-bundle.ts"),
        import("../../../olm/validate/bundle.ts"),
        import("../../../olm/catalog/edit-catalog.ts"),
        import("../../../olm/catalog/check-catalog.ts"),
      ]);
      refuseErrors("the bundle is not valid", await validateBundle(bundleTree, basename(folder)));
      const { bundle } = readBundle(bundleTree, basename(folder));
      const bundleChannels = bundle.annotations.get(bundleAnnotations.channels).text!.split(",");
      const channels = flags.channel.length > 0 ? flags.channel : bundleChannels;
      addBundle(draft, bundle, { folder: flags.catalog, channels, image: flags.image });
      refuseErrors(
        "the catalog would not be valid with this bundle",
        // The default channel may be one that gets its first bundle later.
        checkCatalog(draft, flags.catalog).filter(({ rule }) => rule !== "default-channel"),
      );
      return [];
    });
  },
});

export const catalogValidate = defineCommand({
  description:
    "Checks all files of a catalog's folder as a catalog server does: packages, channels and their upgrades, bundles. Exits with 1 if there are errors.",
  flags: {},
  positionals: ["[folder]"],
  examples: ["tsbuilder catalog validate", "tsbuilder catalog validate ./catalog --output json"],
  async run({ positionals, cwd, ui }) {
    const written = positionals[0] ?? "catalog";
    const folder = resolve(cwd, written);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
      throw new TsbuilderError(`"${written}" is not a folder`, {
        code: "NOT_FOUND",
        hint: "create a catalog with tsbuilder catalog init PACKAGE",
      });
    }
    const { checkCatalog } = await import("../../../olm/catalog/check-catalog.ts");
    const root = dirname(folder);
    const findings = checkCatalog(everythingBelow(root), basename(folder));
    return reportFindings("catalog", findings, { root, cwd, ui });
  },
});

export const catalogBuild = defineCommand({
  description:
    "Builds catalog.Dockerfile, whose image serves the catalog by opm; an invalid catalog is not built. Arguments after -- are passed to the container tool.",
  flags: {
    tag: flag.string("name of the catalog's image", "IMAGE", {
      required: true,
      prompt: "Name of the catalog's image:",
      check: parseImageReference,
    }),
    tool: toolFlag,
    push: flag.switch("push the image after building it"),
    catalog: catalogFolderFlag,
  },
  takesRest: true,
  examples: ["tsbuilder catalog build --tag registry.example.com/mysql-operator-catalog:v1 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root, tree } = openProject(cwd, ui);
    const { catalog: folder, tag: image, tool, push } = flags;
    const [{ catalogDockerfileName }, { checkCatalog }] = await Promise.all([
      import("../../../olm/catalog/catalog.ts"),
      import("../../../olm/catalog/check-catalog.ts"),
    ]);
    const source = { root, dockerfile: catalogDockerfileName, folder };
    requireFolder(source, "create it with tsbuilder catalog init PACKAGE");
    const [finding, ...others] = checkCatalog(tree, folder);
    if (finding) {
      throw new TsbuilderError(
        `the catalog is not valid: ${finding.message}${others.length === 0 ? "" : `, and ${others.length} more`}`,
        {
          code: "INVALID_SOURCE",
          hint: `see all errors with tsbuilder catalog validate ${folder}`,
          at: finding.position,
        },
      );
    }
    await buildFolderImage({ ...source, image, tool, push, digestFile: undefined, extra: rest }, ui);
  },
});

export const catalogShow = defineCommand({
  description:
    "Prints a ClusterCatalog and a ClusterExtension for OLM v1, with a service account that may do everything, or a CatalogSource, an OperatorGroup for all namespaces and a Subscription for OLM v0. No cluster is contacted.",
  flags: {
    image: flag.string("image of the catalog", "IMAGE", {
      required: true,
      prompt: "Image of the catalog:",
      check: parseImageReference,
    }),
    olm: { type: "string", summary: "version of OLM", choices: ["v0", "v1"], default: "v1" },
    channel: flag.string("channel to install from (default: that of the package)", "CHANNEL"),
    namespace: flag.string("namespace to install into (default: PACKAGE-system)", "NAMESPACE"),
    catalog: catalogFolderFlag,
  },
  positionals: ["<package>"],
  examples: [
    "tsbuilder catalog show mysql-operator --image registry.example.com/catalog:v1 | kubectl apply -f -",
  ],
  async run({ flags, positionals, cwd, ui }) {
    const [{ formatInstallation }, { readCatalog }] = await Promise.all([
      import("../../../olm/catalog/format-installation.ts"),
      import("../../../olm/catalog/catalog.ts"),
    ]);
    const [packageName = ""] = positionals;
    const { catalog } = readCatalog(viewProject(cwd, ui).tree, flags.catalog);
    const found = catalog.packages.find((entry) => entry.get("name").value === packageName);
    if (!found) {
      throw new TsbuilderError(`"${flags.catalog}" has no package "${packageName}"`, {
        code: "NOT_FOUND",
        hint: `create it with tsbuilder catalog init ${packageName}`,
      });
    }
    const firstChannel = catalog.channels.find((entry) => entry.get("package").value === packageName);
    const channel =
      flags.channel ?? found.get("defaultChannel").text ?? firstChannel?.get("name").text ?? newChannel;
    const namespace = flags.namespace ?? `${packageName}-system`;
    ui.print(
      formatInstallation(flags.olm === "v0" ? "v0" : "v1", {
        packageName,
        channel,
        image: flags.image,
        namespace,
      }).trimEnd(),
    );
  },
});
