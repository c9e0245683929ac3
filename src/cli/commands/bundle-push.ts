import { type ContainerTool, findContainerTool } from "../../ship/container-tool.ts";
import { parseImageReference } from "../../ship/image-reference.ts";
import { defineCommand } from "../command.ts";
import { toolFlag } from "../image-flags.ts";

export const bundlePush = defineCommand({
  summary: "Push the bundle's image",
  description: "Arguments after -- are passed to the container tool, for example for a registry without TLS.",
  flags: {
    tool: toolFlag,
    "digest-file": { type: "string", summary: "write the image's digest to a file", placeholder: "FILE" },
  },
  positionals: ["<image>"],
  takesRest: true,
  examples: ["tsbuilder bundle push registry.example.com/mysql-operator-bundle:v1.0.0"],
  async run({ flags, positionals, rest, ui }) {
    const image = positionals[0]!;
    parseImageReference(image);
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    const { pushImage } = await import("../../ship/image-build.ts");
    ui.note(`Pushing ${image} with ${tool}`);
    await pushImage(tool, image, { digestFile: flags["digest-file"], extra: rest });
    ui.print(image);
  },
});
