import { writeModule } from "./write-module.ts";
import type { GoPackage } from "./go-package.ts";

/** The files of a project whose kinds are those of some Go packages; the packages that these need stand beside `api`. */
export function translate(packages: readonly GoPackage[], roots: readonly string[]): Record<string, string> {
  const pathOf = (path: string): string => `${roots.includes(path) ? "api" : "types"}/${path}/types.ts`;
  return Object.fromEntries(packages.map((each) => [pathOf(each.path), writeModule(each, pathOf)]));
}
