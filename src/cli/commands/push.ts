import { type ContainerTool, findContainerTool } from "../../ship/container-tool.ts";
import { parseImageReference } from "../../ship/image-reference.ts";
import { defineCommand } from "../command.ts";
import { defaultImage, toolFlag } from "../image-flags.ts";

export const push = defineCommand({
  summary: "Push the operator's image",
  description: "Arguments after -- are passed to the container tool, for example for a registry without TLS.",
  flags: {
    tool: toolFlag,
    "digest-file": { type: "string", summary: "write the image's digest to a file", placeholder: "FILE" },
  },
  positionals: ["[image]"],
  takesRest: true,
  examples: [
    "tsbuilder push registry.example.com/mysql-operator:v1",
    "tsbuilder push localhost:5000/mysql-operator:v1 --tool buildah -- --tls-verify=false",
  ],
  async run({ flags, positionals, rest, ui }) {
    const image = positionals[0] ?? defaultImage;
    parseImageReference(image);
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    const { pushImage } = await import("../../ship/image-build.ts");
    ui.note(`Pushing ${image} with ${tool}`);
    await pushImage(tool, image, { digestFile: flags["digest-file"], extra: rest });
    ui.print(image);
  },
});
