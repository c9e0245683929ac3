import { TsbuilderError } from "../../shared/errors.ts";
import { runTool } from "../tool.ts";

/** Tools that can build an image. */
export const containerTools = ["docker", "podman", "buildah", "nerdctl"] as const;
export type ContainerTool = (typeof containerTools)[number];

/** Finds the container tool: the requested one, or the first whose daemon responds, since a client alone can't build. */
export async function findContainerTool(
  wanted?: ContainerTool,
  probe: (tool: ContainerTool) => Promise<string | undefined> = probeEngine,
): Promise<ContainerTool> {
  const problems: string[] = [];
  for (const tool of wanted ? [wanted] : containerTools) {
    const problem = await probe(tool);
    if (problem === undefined) return tool;
    problems.push(`${tool}: ${problem}`);
  }
  throw new TsbuilderError(
    wanted
      ? `"${wanted}" does not respond\n${problems[0]}`
      : `no container tool responds\n${problems.join("\n")}`,
    {
      code: "TOOL_MISSING",
      hint: wanted
        ? `check that \`${wanted} info\` works, or use another tool with --tool`
        : "install one of them and start its daemon; buildah needs none",
    },
  );
}

/** Returns why a tool does not work: the last line of a failed `info`; undefined if it works. */
async function probeEngine(tool: ContainerTool): Promise<string | undefined> {
  try {
    await runTool({ tool, args: ["info"] });
    return undefined;
  } catch (error) {
    if ((error as TsbuilderError).code === "TOOL_MISSING") return "not on the PATH";
    return (error as Error).message.trim().split("\n").at(-1)!;
  }
}
