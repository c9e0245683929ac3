import { containerTools } from "../ship/images/container-tool.ts";
import type { FlagDefinition } from "./command.ts";

/** For every command that works with images. */
export const toolFlag = {
  type: "string",
  summary: "container tool to use (default: the first one that responds)",
  placeholder: "TOOL",
  choices: containerTools,
} as const satisfies FlagDefinition;

/** The image in `config/manager`. */
export const defaultImage = "controller:latest";
