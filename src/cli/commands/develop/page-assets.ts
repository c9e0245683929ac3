import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageAsset } from "../../../dev/page/page-server.ts";
import { findOwnPackage } from "../../../packaging/own-package.ts";

/** The URL path, the file and the media type of each part of the page. */
const pageFiles = [
  ["/", "page.html", "text/html; charset=utf-8"],
  ["/page.js", "page.js", "text/javascript; charset=utf-8"],
  ["/page.css", "page.css", "text/css; charset=utf-8"],
] as const;

/** Reads the page of `tsbuilder dev`, which the build writes beside the CLI. */
export function readPageAssets(): ReadonlyMap<string, PageAsset> {
  const folder = join(findOwnPackage().folder, "dist/cli/page");
  return new Map(
    pageFiles.map(([path, file, type]) => [path, { type, body: readFileSync(join(folder, file)) }]),
  );
}
