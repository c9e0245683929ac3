import { TsbuilderError } from "../shared/errors.ts";

/** Refuses a folder that is not inside the project, as the value of a flag. */
export function checkFolder(folder: string): string {
  if (folder !== "" && !folder.startsWith("/") && !folder.split(/[\\/]/u).includes("..")) return folder;
  throw new TsbuilderError(`"${folder}" is not a folder in the project`, {
    code: "INVALID_ARGUMENT",
    hint: "use a folder relative to the project's root, such as dist",
  });
}
