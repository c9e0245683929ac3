import { readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import type { PageAsset } from "../../../dev/page/page-server.ts";
import { findOwnPackage } from "../../../packaging/own-package.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Reads the page of `tsbuilder dev`, which the build writes beside the CLI, by the URL path of each of its files. */
export function readPageAssets(): ReadonlyMap<string, PageAsset> {
  const folder = join(findOwnPackage().folder, "dist/cli/page");
  const files = new Set(readdirSync(folder));
  const read = (file: string): Buffer => readFileSync(join(folder, file));
  return new Map(
    [...files].flatMap((file): [string, PageAsset][] => {
      const type = types[extname(file)];
      if (type === undefined) return [];
      const brotli = files.has(`${file}.br`) ? read(`${file}.br`) : undefined;
      return [[file === "page.html" ? "/" : `/${file}`, { type, body: read(file), brotli }]];
    }),
  );
}
