import { existsSync, readFileSync } from "node:fs";
import { atFile } from "../shared/at-file.ts";
import { TsbuilderError } from "../shared/errors.ts";

/**
 * Reads a custom license header: a block comment, or an empty file. `YEAR` is replaced by the current year once, so
 * that later files get the same text.
 */
export function readLicenseFile(path: string): string {
  if (!existsSync(path)) throw invalid(`license file "${path}" not found`);
  const text = atFile(path, () => readFileSync(path, "utf8"))
    .trim()
    .replaceAll(/\bYEAR\b/gu, String(new Date().getFullYear()));
  if (text === "" || /^\/\*(?:(?!\*\/)[\s\S])*\*\/$/u.test(text)) return text;
  throw invalid(`license file "${path}" is not a single block comment`);
}

function invalid(message: string): TsbuilderError {
  return new TsbuilderError(message, {
    code: "INVALID_ARGUMENT",
    hint: "use a file that contains /* your text */, or use --license apache2",
  });
}
