import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { bundleAnnotations, newChannel } from "../../olm/bundle-format.ts";
import { Draft } from "../../scaffold/tree.ts";
import { atFile } from "../../shared/at-file.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { catalogFolderFlag } from "../catalog-flags.ts";
import { defineCommand } from "../command.ts";
import { readIcon } from "../read-icon.ts";
import { openToChange } from "../open-project.ts";

export const catalogInit = defineCommand({
  summary: "Create a file-based OLM catalog with a package",
  description:
    "Writes catalog/PACKAGE/catalog.yaml, to which catalog add adds channels and bundles, and catalog.Dockerfile, both of which are yours.",
  flags: {
    "default-channel": {
      type: "string",
      summary: `channel from which the package is installed if none is named (default: that of the package's bundle in bundle/, else ${newChannel})`,
      placeholder: "CHANNEL",
    },
    description: {
      type: "string",
      summary: "file with the package's description, in Markdown",
      placeholder: "FILE",
    },
    icon: { type: "string", summary: "file with the package's icon", placeholder: "FILE" },
    catalog: catalogFolderFlag,
    ...planFlags,
  },
  positionals: ["<package>"],
  examples: ["tsbuilder catalog init mysql-operator --description README.md"],
  async run(call) {
    const { flags, positionals, cwd, ui } = call;
    const [name = ""] = positionals;
    const [reason] = checkSubdomain(name);
    if (reason !== undefined) {
      throw new TsbuilderError(`the package name "${name}" ${reason}`, {
        code: "INVALID_NAME",
        hint: "use the name in bundle/metadata/annotations.yaml, such as mysql-operator",
      });
    }
    return openToChange(call, async ({ root, tree }) => {
      const [{ newPackage }, { readAnnotations }] = await Promise.all([
        import("../../olm/catalog/edit-catalog.ts"),
        import("../../olm/bundle/bundle-metadata.ts"),
      ]);
      const file = "bundle/metadata/annotations.yaml";
      const annotations = readAnnotations(file, tree.read(file));
      const own = annotations[bundleAnnotations.package] === name ? annotations : {};
      const [firstChannel] = own[bundleAnnotations.channels]?.split(",") ?? [];
      const files = newPackage(flags.catalog, {
        name,
        defaultChannel:
          flags["default-channel"] ?? own[bundleAnnotations.defaultChannel] ?? firstChannel ?? newChannel,
        description: flags.description === undefined ? undefined : readText(cwd, flags.description),
        icon: flags.icon === undefined ? undefined : readIcon(cwd, flags.icon),
      });
      const draft = new Draft(tree);
      for (const [path, text] of Object.entries(files)) {
        if (!tree.has(path)) draft.write(path, text);
        else if (path.startsWith(`${flags.catalog}/`)) {
          throw new TsbuilderError(`"${path}" exists already`, {
            code: "ALREADY_EXISTS",
            hint: "edit it, or add a bundle to it: tsbuilder catalog add bundle --image IMAGE",
          });
        }
      }
      applyOrShow(root, { changes: draft.changes(), notes: [] }, flags, ui);
    });
  },
});

function readText(cwd: string, file: string): string {
  return atFile(file, () => readFileSync(resolve(cwd, file), "utf8"));
}
