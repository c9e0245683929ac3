import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "./errors.ts";

/** Reads the object in a JSON file; an editor or a merge may have left invalid JSON. */
export function readJsonObject(
  file: string,
  text: string,
  hint = "fix the file, or restore it from version control",
): Readonly<Record<string, unknown>> {
  const value = parseJson(text.replace(/^\uFEFF/u, ""));
  if (isObject(value)) return value;
  throw new TsbuilderError(
    `"${file}" ${value === undefined ? "is not valid JSON" : "contains no JSON object"}`,
    {
      code: "INVALID_PROJECT",
      hint,
    },
  );
}

/** Parses JSON; undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
