import { existsSync, readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { iconMediaTypes } from "../olm/bundle-format.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** Reads the file of an icon, relative to the current folder. */
export function readIcon(
  cwd: string,
  given: string,
): { readonly base64data: string; readonly mediatype: string } {
  const mediatype = iconMediaTypes[extname(given).toLowerCase()];
  if (mediatype === undefined) {
    throw new TsbuilderError(`"${given}" is not an image that catalogs show`, {
      code: "INVALID_ARGUMENT",
      hint: `use a file that ends with ${Object.keys(iconMediaTypes).join(", ")}`,
    });
  }
  const file = resolve(cwd, given);
  if (!existsSync(file)) {
    throw new TsbuilderError(`"${given}" not found`, {
      code: "NOT_FOUND",
      hint: "name the icon's file, relative to the current folder",
    });
  }
  return { base64data: readFileSync(file).toString("base64"), mediatype };
}
