import { CONTAINER_TOOLS } from "../ship/container-tool.ts";
import type { FlagDefinition } from "./command.ts";

/** The flag of every command that works with images. */
export const toolFlag = {
  type: "string",
  summary: "program to use (default: the first of them that answers)",
  placeholder: "TOOL",
  choices: CONTAINER_TOOLS,
} as const satisfies FlagDefinition;

/** What an image is called where nobody says it; `config/manager` asks for this name. */
export const DEFAULT_IMAGE = "controller:latest";
