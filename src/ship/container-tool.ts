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
  answers: (tool: ContainerTool) => Promise<boolean> = engineAnswers,
): Promise<ContainerTool> {
  for (const tool of wanted ? [wanted] : CONTAINER_TOOLS) {
    if (await answers(tool)) return tool;
  }
  throw new TsbuilderError(
    wanted ? `"${wanted}" does not answer` : `none of ${CONTAINER_TOOLS.join(", ")} answers`,
    {
      code: "TOOL_MISSING",
      hint: wanted
        ? `start its engine (\`${wanted} info\` must answer), or choose another with --tool`
        : "install one of them and start its engine; buildah needs none",
    },
  );
}

async function engineAnswers(tool: ContainerTool): Promise<boolean> {
  try {
    await runTool({ tool, args: ["info"] });
    return true;
  } catch {
    return false;
  }
}
