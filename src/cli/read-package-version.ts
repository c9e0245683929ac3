import type { Tree } from "../scaffold/tree.ts";
import { readJsonObject } from "../shared/read-json.ts";

/** The operator's version in its package.json. */
export function readPackageVersion(tree: Tree): string {
  const { version } = readJsonObject("package.json", tree.read("package.json") ?? "{}");
  return typeof version === "string" ? version : "0.1.0";
}
