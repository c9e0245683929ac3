import { catalogDockerfileName } from "../../../olm/catalog/catalog.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { buildFolderImage, requireFolder } from "./folder-image.ts";
import { catalogFolderFlag } from "./catalog.ts";
import { defineCommand, stringFlag, switchFlag } from "../../arguments/command.ts";
import { toolFlag } from "../../arguments/image-flags.ts";
import { openProject } from "../../project/open-project.ts";

export const catalogBuild = defineCommand({
  description:
    "Builds catalog.Dockerfile, whose image serves the catalog by opm; an invalid catalog is not built. Arguments after -- are passed to the container tool.",
  flags: {
    tag: stringFlag("name of the catalog's image", "IMAGE", {
      required: true,
      prompt: "Name of the catalog's image:",
      check: parseImageReference,
    }),
    tool: toolFlag,
    push: switchFlag("push the image after building it"),
    catalog: catalogFolderFlag,
  },
  takesRest: true,
  examples: ["tsbuilder catalog build --tag registry.example.com/mysql-operator-catalog:v1 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root, tree } = openProject(cwd, ui);
    const { catalog: folder, tag: image, tool, push } = flags;
    const made = { root, dockerfile: catalogDockerfileName, folder };
    requireFolder(made, "create it with tsbuilder catalog init PACKAGE");
    const { checkCatalog } = await import("../../../olm/catalog/check-catalog.ts");
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
    await buildFolderImage({ ...made, image, tool, push, digestFile: undefined, extra: rest }, ui);
  },
});
