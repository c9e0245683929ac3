import { existsSync, readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { TsbuilderError } from "../../shared/errors.ts";
import { iconMediaTypes } from "../../olm/bundle-format.ts";
import { atFile } from "../../shared/files.ts";
import { invalidArgument } from "./command.ts";

/** Parses the duration in a flag's value. Returns milliseconds; throws if it is none, or negative. */
export function readDuration(flag: string, text: string): number {
  try {
    const duration = parseDuration(text);
    if (duration < 0) throw new RangeError("it is negative");
    return duration;
  } catch (error) {
    throw new TsbuilderError(`--${flag} "${text}" is not a duration`, {
      code: "INVALID_ARGUMENT",
      hint: "write it as 30s, 10m or 1h30m",
      cause: error,
    });
  }
}

/** Returns the folder; throws if it is absolute or leads out of the project. */
export function checkFolder(folder: string): string {
  if (folder !== "" && !folder.startsWith("/") && !folder.split(/[\\/]/u).includes("..")) return folder;
  throw invalidArgument(
    `"${folder}" is not a folder in the project`,
    "use a folder relative to the project's root, such as dist",
  );
}

/** Reads the file of an icon, relative to the current folder. Throws if it is missing, or no image that catalogs show. */
export function readIcon(
  cwd: string,
  path: string,
): { readonly base64data: string; readonly mediatype: string } {
  const mediatype = iconMediaTypes[extname(path).toLowerCase()];
  if (mediatype === undefined) {
    throw invalidArgument(
      `"${path}" is not an image that catalogs show`,
      `use a file that ends with ${Object.keys(iconMediaTypes).join(", ")}`,
    );
  }
  const file = resolve(cwd, path);
  if (!existsSync(file)) {
    throw new TsbuilderError(`"${path}" not found`, {
      code: "NOT_FOUND",
      hint: "name the icon's file, relative to the current folder",
    });
  }
  return { base64data: readFileSync(file).toString("base64"), mediatype };
}

/** Reads a license header: a block comment, or an empty file. `YEAR` becomes the current year, which the project keeps. */
export function readLicenseFile(path: string): string {
  if (!existsSync(path)) throw invalidLicense(`license file "${path}" not found`);
  const text = atFile(path, () => readFileSync(path, "utf8"))
    .trim()
    .replaceAll(/\bYEAR\b/gu, String(new Date().getFullYear()));
  if (text === "" || /^\/\*(?:(?!\*\/)[\s\S])*\*\/$/u.test(text)) return text;
  throw invalidLicense(`license file "${path}" is not a single block comment`);
}

function invalidLicense(message: string): TsbuilderError {
  return invalidArgument(message, "use a file that contains /* your text */, or use --license apache2");
}
