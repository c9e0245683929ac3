import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "./errors.ts";

/** Reads the object in a JSON file, which may begin with a byte order mark. Throws if it holds anything else. */
export function readJsonObject(
  file: string,
  text: string,
  hint = "fix the file, or restore it from version control",
): Readonly<Record<string, unknown>> {
  const value = parseJson(text.replace(/^\uFEFF/u, ""));
  if (isObject(value)) return value;
  const problem = value === undefined ? "is not valid JSON" : "contains no JSON object";
  throw new TsbuilderError(`"${file}" ${problem}`, { code: "INVALID_PROJECT", hint });
}

/** Parses JSON; undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
