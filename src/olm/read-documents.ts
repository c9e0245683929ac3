import { TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { Located, Source } from "./located.ts";

/** The values of a YAML file's documents without those that are empty, or why it can't be read. */
export function readDocuments(file: string, text: string): Located[] | TsbuilderError {
  try {
    const values = readYaml(file, text, { code: "INVALID_SOURCE", hint: "fix the file" });
    return values
      .map((value, index) => new Located(new Source(file, text, index), value))
      .filter(({ isMissing }) => !isMissing);
  } catch (error) {
    if (error instanceof TsbuilderError) return error;
    throw error;
  }
}

/** A file that is not there: all values in it are missing, and stand at its beginning. */
export function missingFile(file: string): Located {
  return new Located(new Source(file, ""), undefined);
}
