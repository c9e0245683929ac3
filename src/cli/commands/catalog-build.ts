import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { catalogDockerfileName } from "../../olm/catalog/catalog-format.ts";
import { type ContainerTool, findContainerTool } from "../../ship/container-tool.ts";
import { parseImageReference } from "../../ship/image-reference.ts";
import { withTemporaryFolder } from "../../ship/temporary-folder.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { catalogFolderFlag } from "../catalog-flags.ts";
import { defineCommand } from "../command.ts";
import { toolFlag } from "../image-flags.ts";
import { openProject } from "../open-project.ts";

export const catalogBuild = defineCommand({
  summary: "Build the image of a file-based OLM catalog",
  description:
    "Builds catalog.Dockerfile, whose image serves the catalog by opm; an invalid catalog is not built. Arguments after -- are passed to the container tool.",
  flags: {
    tag: {
      type: "string",
      summary: "name of the catalog's image",
      placeholder: "IMAGE",
      required: true,
      prompt: "Name of the catalog's image:",
      check: parseImageReference,
    },
    tool: toolFlag,
    push: { type: "boolean", summary: "push the image after building it", default: false },
    catalog: catalogFolderFlag,
  },
  takesRest: true,
  examples: ["tsbuilder catalog build --tag registry.example.com/mysql-operator-catalog:v1 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root, tree } = openProject(cwd, ui);
    const { catalog: folder, tag: image, push } = flags;
    for (const path of [catalogDockerfileName, folder]) {
      if (existsSync(join(root, path))) continue;
      throw new TsbuilderError(`the project has no ${path}`, {
        code: "NOT_FOUND",
        hint: "create it with tsbuilder catalog init PACKAGE",
      });
    }
    const { checkCatalog } = await import("../../olm/catalog/check-catalog.ts");
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
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    const { buildImage } = await import("../../ship/image-build.ts");
    ui.note(`Building ${image} with ${tool}`);
    // The project's .dockerignore is for the operator's image.
    await withTemporaryFolder("tsbuilder-catalog-", async (context) => {
      cpSync(join(root, catalogDockerfileName), join(context, "Dockerfile"));
      cpSync(join(root, folder), join(context, folder), { recursive: true });
      await buildImage(
        tool,
        { image, context, platforms: [], buildArgs: [], extra: rest },
        { push, save: undefined, load: undefined, digestFile: undefined },
      );
    });
    ui.print(image);
  },
});
