import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { bundleDockerfileName } from "../../olm/bundle-format.ts";
import { type ContainerTool, findContainerTool } from "../../ship/container-tool.ts";
import { parseImageReference } from "../../ship/image-reference.ts";
import { withTemporaryFolder } from "../../ship/temporary-folder.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { toolFlag } from "../image-flags.ts";
import { openProject } from "../open-project.ts";
import { bundleFolderFlag } from "./bundle.ts";

export const bundleBuild = defineCommand({
  summary: "Build the bundle's image",
  description:
    "Builds bundle.Dockerfile, whose image holds the bundle's files and no operating system. Arguments after -- are passed to the container tool.",
  flags: {
    image: {
      type: "string",
      summary: "name of the bundle's image",
      placeholder: "IMAGE",
      required: true,
      prompt: "Name of the bundle's image:",
    },
    tool: toolFlag,
    push: { type: "boolean", summary: "push the image after building it", default: false },
    "digest-file": {
      type: "string",
      summary: "write the digest of the pushed image to a file",
      placeholder: "FILE",
    },
    "output-dir": bundleFolderFlag,
  },
  takesRest: true,
  examples: ["tsbuilder bundle build --image registry.example.com/mysql-operator-bundle:v1.0.0 --push"],
  async run({ flags, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const { image, push } = flags;
    const folder = flags["output-dir"];
    parseImageReference(image);
    for (const path of [bundleDockerfileName, folder]) requireFile(root, path);
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    const { buildImage } = await import("../../ship/image-build.ts");
    ui.note(`Building ${image} with ${tool}`);
    // The project's .dockerignore is for the operator's image, and leaves the bundle out.
    await withTemporaryFolder("tsbuilder-bundle-", async (context) => {
      cpSync(join(root, bundleDockerfileName), join(context, "Dockerfile"));
      cpSync(join(root, folder), join(context, folder), { recursive: true });
      await buildImage(
        tool,
        { image, context, platforms: [], buildArgs: [], extra: rest },
        { push, save: undefined, load: undefined, digestFile: flags["digest-file"] },
      );
    });
    ui.print(image);
  },
});

function requireFile(root: string, path: string): void {
  if (existsSync(join(root, path))) return;
  throw new TsbuilderError(`the project has no ${path}`, {
    code: "NOT_FOUND",
    hint: "generate the bundle first: tsbuilder bundle",
  });
}
