import { expect } from "vitest";
import { planManifests } from "../../../src/generators/manifests.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";

/** The file `groupversion_info.ts`. */
export const groupVersion = (version = "v1", group = '"example.com"'): string =>
  `import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: ${group}, version: "${version}" };
`;

/** The first lines of a types file. */
export const typesImports = `import { defineKind, type CustomResource, type int32 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
`;

/** A types file: the text above the kind, the markers on it, and the definition. */
export function typesFile({
  spec = "export interface Spec {}",
  markers = "",
  definition = '{ kind: "Case", plural: "cases" }',
} = {}): string {
  return `${typesImports}${spec}
${markers}
export interface Case extends CustomResource<Spec> {}
export const Case = defineKind<Case>(groupVersion, ${definition});
`;
}

/** Each finding as `file:line:column message`. */
export async function findings(files: Readonly<Record<string, string>>): Promise<string[]> {
  const tree = memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), ...files });
  const { changes, diagnostics } = await planManifests(tree);
  expect(changes).toEqual([]);
  expect(diagnostics.every(({ frame }) => frame?.includes("^"))).toBe(true);
  return diagnostics.map(({ at, message }) => `${at?.file}:${at?.line}:${at?.column} ${message}`);
}

/** The types file of a project that has only one. */
export const file = "api/v1/case_types.ts";

/** The findings of a project with one types file. */
export async function findingsOf(text: string): Promise<string[]> {
  const found = await findings({ [file]: text });
  return found.map((finding) => finding.replace(`${file}:`, ""));
}
