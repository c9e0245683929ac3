import { TsbuilderError } from "../../shared/errors.ts";
import { runTool } from "../tool.ts";

/** Tools that can build an image. */
export const containerTools = ["docker", "podman", "buildah", "nerdctl"] as const;
export type ContainerTool = (typeof containerTools)[number];

/**
 * Finds the container tool: the requested one, else the first whose daemon responds. A client without a daemon can
 * neither build nor push, so being on the PATH is not enough.
 */
export async function findContainerTool(
  wanted?: ContainerTool,
  whyNot: (tool: ContainerTool) => Promise<string | undefined> = engineTrouble,
): Promise<ContainerTool> {
  const troubles: string[] = [];
  for (const tool of wanted ? [wanted] : containerTools) {
    const trouble = await whyNot(tool);
    if (trouble === undefined) return tool;
    troubles.push(`${tool}: ${trouble}`);
  }
  throw new TsbuilderError(
    wanted
      ? `"${wanted}" does not respond\n${troubles[0]}`
      : `no container tool responds\n${troubles.join("\n")}`,
    {
      code: "TOOL_MISSING",
      hint: wanted
        ? `check that \`${wanted} info\` works, or use another tool with --tool`
        : "install one of them and start its daemon; buildah needs none",
    },
  );
}

/** The last line of a failed `info`; undefined if it succeeded. */
async function engineTrouble(tool: ContainerTool): Promise<string | undefined> {
  try {
    await runTool({ tool, args: ["info"] });
    return undefined;
  } catch (error) {
    if ((error as TsbuilderError).code === "TOOL_MISSING") return "not on the PATH";
    return (error as Error).message.trim().split("\n").at(-1)!;
  }
}
