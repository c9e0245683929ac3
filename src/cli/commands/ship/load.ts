import { type ContainerTool, findContainerTool } from "../../../ship/images/container-tool.ts";
import { localClusters, type LocalCluster, loadImage } from "../../../ship/images/build-image.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { defaultImage, toolFlag } from "../../arguments/image-flags.ts";

export const load = defineCommand({
  flags: {
    into: flag.string("type of local cluster", "CLUSTER", { choices: localClusters, default: "kind" }),
    name: flag.string("name of the cluster (default: the tool's default name)", "NAME"),
    tool: toolFlag,
  },
  positionals: ["[image]"],
  examples: ["tsbuilder load mysql-operator:dev --into kind --name dev"],
  async run({ flags, positionals, ui }) {
    const image = positionals[0] ?? defaultImage;
    parseImageReference(image);
    const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
    await loadImage(tool, image, flags.into as LocalCluster, flags.name);
    ui.print(`loaded ${image} into ${flags.into}`);
  },
});
