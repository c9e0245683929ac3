import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { type ContainerTool, findContainerTool } from "../ship/images/container-tool.ts";
import { withTemporaryFolder } from "../ship/temporary-folder.ts";
import { TsbuilderError } from "../shared/errors.ts";
import type { Ui } from "./ui.ts";

/** An image of a folder of the project, made by a Dockerfile of its own. */
interface FolderImage {
  readonly root: string;
  readonly dockerfile: string;
  readonly folder: string;
  readonly image: string;
  readonly tool: string | undefined;
  readonly push: boolean;
  readonly digestFile: string | undefined;
  /** Arguments for the container tool. */
  readonly extra: readonly string[];
}

/** Throws if the project has not got what the image is made of; the hint says how to get it. */
export function requireFolder(
  { root, dockerfile, folder }: Pick<FolderImage, "root" | "dockerfile" | "folder">,
  hint: string,
): void {
  const missing = [dockerfile, folder].find((path) => !existsSync(join(root, path)));
  if (missing === undefined) return;
  throw new TsbuilderError(`the project has no ${missing}`, { code: "NOT_FOUND", hint });
}

/** Builds the image. The project's .dockerignore is for the operator's, and would leave the folder out. */
export async function buildFolderImage(built: FolderImage, ui: Ui): Promise<void> {
  const { root, dockerfile, folder, image, push, digestFile, extra } = built;
  const tool = await findContainerTool(built.tool as ContainerTool | undefined);
  const { buildImage } = await import("../ship/images/build-image.ts");
  ui.note(`Building ${image} with ${tool}`);
  await withTemporaryFolder("tsbuilder-image-", async (context) => {
    cpSync(join(root, dockerfile), join(context, "Dockerfile"));
    cpSync(join(root, folder), join(context, folder), { recursive: true });
    await buildImage(
      tool,
      { image, context, platforms: [], buildArgs: [], extra },
      { push, save: undefined, load: undefined, digestFile },
    );
  });
  ui.print(image);
}
