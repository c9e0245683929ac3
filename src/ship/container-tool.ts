import { TsbuilderError } from "../shared/errors.ts";
import { runTool } from "./tool.ts";

/** The programs that can build an image here. */
export const CONTAINER_TOOLS = ["docker", "podman", "buildah", "nerdctl"] as const;
export type ContainerTool = (typeof CONTAINER_TOOLS)[number];

/**
 * Finds the tool to build with: the one asked for, else the first whose engine answers.
 * A client without an engine is no tool, so the engine is asked, not the PATH.
 */
export async function findContainerTool(
  wanted?: ContainerTool,
  whyNot: (tool: ContainerTool) => Promise<string | undefined> = engineTrouble,
): Promise<ContainerTool> {
  const troubles: string[] = [];
  for (const tool of wanted ? [wanted] : CONTAINER_TOOLS) {
    const trouble = await whyNot(tool);
    if (trouble === undefined) return tool;
    troubles.push(`${tool}: ${trouble}`);
  }
  throw new TsbuilderError(
    wanted
      ? `"${wanted}" does not answer\n${troubles[0]}`
      : `no program here can build an image\n${troubles.join("\n")}`,
    {
      code: "TOOL_MISSING",
      hint: wanted
        ? `see that \`${wanted} info\` answers, or choose another with --tool`
        : "install one of them and start its engine; buildah needs none",
    },
  );
}

/** What an engine, or the client that can't reach it, says last; nothing where it answers. */
async function engineTrouble(tool: ContainerTool): Promise<string | undefined> {
  try {
    await runTool({ tool, args: ["info"] });
    return undefined;
  } catch (error) {
    if ((error as TsbuilderError).code === "TOOL_MISSING") return "not on the PATH";
    return (error as Error).message.trim().split("\n").at(-1)!;
  }
}
