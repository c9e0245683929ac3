import { type ContainerTool, containerTools, findContainerTool } from "../../ship/images/container-tool.ts";
import { type FlagDefinition, type FlagValues, flag } from "./command.ts";
import { parseImageReference } from "../../ship/images/image-reference.ts";
import type { Ui } from "../reporting/report.ts";

/** Selects the container tool, in every command that works with images. */
export const toolFlag = flag.string("container tool to use (default: the first one that responds)", "TOOL", {
  choices: containerTools,
});

/** The operator's image in `config/manager` until the user names one. */
export const defaultImage = "controller:latest";

/** The flags of commands that push an image. */
export const pushFlags = {
  tool: toolFlag,
  "digest-file": flag.string("write the image's digest to a file", "FILE"),
} as const satisfies Record<string, FlagDefinition>;

/** Pushes an image, with arguments for the container tool. */
export async function pushImage(
  image: string,
  flags: FlagValues<typeof pushFlags>,
  extra: readonly string[],
  ui: Ui,
): Promise<void> {
  parseImageReference(image);
  const tool = await findContainerTool(flags.tool as ContainerTool | undefined);
  const { pushImage: push } = await import("../../ship/images/build-image.ts");
  ui.note(`Pushing ${image} with ${tool}`);
  await push(tool, image, { digestFile: flags["digest-file"], extra });
  ui.print(image);
}
