import { existsSync, readFileSync } from "node:fs";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Reads a licence header of the user's own: a block comment, or nothing. `YEAR` becomes the year of now, once and for
 * all: the project keeps the text, so that its files are the same next year.
 */
export function readLicenseFile(path: string): string {
  if (!existsSync(path)) throw invalid(`the licence file "${path}" is not there`);
  const text = readFileSync(path, "utf8")
    .trim()
    .replaceAll(/\bYEAR\b/gu, String(new Date().getFullYear()));
  if (text === "" || /^\/\*(?:(?!\*\/)[\s\S])*\*\/$/u.test(text)) return text;
  throw invalid(`the licence file "${path}" is not one block comment`);
}

function invalid(message: string): TsbuilderError {
  return new TsbuilderError(message, {
    code: "INVALID_ARGUMENT",
    hint: "name a file that holds /* your text */, or use --license apache2",
  });
}
