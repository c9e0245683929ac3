import { bundleDockerfileName } from "../../olm/bundle-format.ts";
import { parseImageReference } from "../../ship/images/image-reference.ts";
import { buildFolderImage, requireFolder } from "../build-folder-image.ts";
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
      check: parseImageReference,
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
    const made = { root, dockerfile: bundleDockerfileName, folder: flags["output-dir"] };
    requireFolder(made, "generate the bundle first: tsbuilder bundle");
    const { image, tool, push, "digest-file": digestFile } = flags;
    await buildFolderImage({ ...made, image, tool, push, digestFile, extra: rest }, ui);
  },
});
