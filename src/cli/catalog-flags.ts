import { checkFolder } from "./check-folder.ts";
import type { FlagDefinition } from "./command.ts";

/** The folder of a catalog in the project, for every command that changes or builds it. */
export const catalogFolderFlag = {
  type: "string",
  summary: "folder of the catalog, in the project",
  placeholder: "DIR",
  default: "catalog",
  check: checkFolder,
} as const satisfies FlagDefinition;
