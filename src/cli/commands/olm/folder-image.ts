import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { type ContainerTool, findContainerTool } from "../../../ship/images/container-tool.ts";
import { withTemporaryFolder } from "../../../ship/temporary-folder.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import type { Ui } from "../../reporting/report.ts";

/** An image that contains one folder of the project, and the Dockerfile that builds it. */
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

/** Throws if the project lacks the Dockerfile or the folder. The hint says how to create them. */
export function requireFolder(
  { root, dockerfile, folder }: Pick<FolderImage, "root" | "dockerfile" | "folder">,
  hint: string,
): void {
  const missing = [dockerfile, folder].find((path) => !existsSync(join(root, path)));
  if (missing === undefined) return;
  throw new TsbuilderError(`the project has no ${missing}`, { code: "NOT_FOUND", hint });
}

/** Builds the image from a copy of the folder, since the project's .dockerignore, made for the operator's image, omits it. */
export async function buildFolderImage(options: FolderImage, ui: Ui): Promise<void> {
  const { root, dockerfile, folder, image, push, digestFile, extra } = options;
  const tool = await findContainerTool(options.tool as ContainerTool | undefined);
  const { buildImage } = await import("../../../ship/images/build-image.ts");
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
