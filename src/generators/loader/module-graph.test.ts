import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { planManifests } from "../manifests.ts";

const groupVersion = (version = "v1"): string =>
  `import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: "example.com", version: "${version}" };
`;

const kind = (spec: string, imports: string): string => `${imports}
import { defineKind, type CustomResource } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
export interface Case extends CustomResource<${spec}> {}
export const Case = defineKind<Case>(groupVersion, { kind: "Case", plural: "cases" });
`;

/** The properties of the spec, as their lines in the CRD. */
async function specLines(files: Readonly<Record<string, string>>): Promise<string> {
  const plan = await planManifests(memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), ...files }));
  const errors = plan.diagnostics.map(({ message }) => message);
  const text = plan.changes[0]?.content ?? "";
  return [...errors, /\n {10}spec:\n((?: {12}.*\n)+)/u.exec(text)?.[1] ?? ""]
    .join("\n")
    .replaceAll(/^ {12}/gmu, "");
}

const nameOnly = `properties:
  name:
    maxLength: 8
    type: string
required:
- name
type: object
`;

const shared = `// +kubebuilder:validation:MaxLength=8
export type Name = string;
export interface Spec { name: Name }
`;

describe("ModuleGraph", () => {
  it("follows imports to other files, whatever extension they are written with", async () => {
    for (const specifier of ["../shared.ts", "../shared.js", "../shared"]) {
      const types = kind("Spec", `import type { Spec } from "${specifier}";`);
      expect(await specLines({ "api/shared.ts": shared, "api/v1/case_types.ts": types })).toBe(nameOnly);
    }
  });

  it("follows names through barrels, renamed exports and export lists", async () => {
    const files = {
      "api/shared.ts": shared.replaceAll("export ", "").concat("export { type Spec as Inner };\n"),
      "api/middle.ts": 'export { type Inner as Outer } from "./shared.ts";\n',
      "api/index.ts": 'export * from "./middle.ts";\n',
      "api/v1/case_types.ts": kind("Renamed", 'import type { Outer as Renamed } from "../index.ts";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("follows a name that a file exports again beside all others", async () => {
    const files = {
      "api/shared.ts": shared,
      "api/index.ts": 'export * from "./shared.ts";\nexport { Spec as Outer } from "./shared.ts";\n',
      "api/v1/case_types.ts": kind("Outer", 'import type { Outer } from "../index.ts";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("follows namespace imports, namespace exports and import types", async () => {
    const files = {
      "api/shared.ts": shared,
      "api/all.ts": 'export * as types from "./shared.ts";\n',
    };
    const star = kind("all.types.Spec", 'import type * as all from "../all.ts";');
    expect(await specLines({ ...files, "api/v1/case_types.ts": star })).toBe(nameOnly);
    const inline = kind('import("../shared.ts").Spec', "");
    expect(await specLines({ ...files, "api/v1/case_types.ts": inline })).toBe(nameOnly);
  });

  it("resolves the default of a type parameter where it is declared", async () => {
    const files = {
      "api/shared.ts": `${shared}export interface Box<T = Name> { name: T }\n`,
      "api/v1/case_types.ts": kind("Box", 'import type { Box } from "../shared.ts";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("follows default exports and folders", async () => {
    const files = {
      "api/shared/index.ts": shared.replace("export interface Spec", "export default interface Spec"),
      "api/v1/case_types.ts": kind("Spec", 'import type Spec from "../shared";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("reads the declarations of an installed package", async () => {
    const files = {
      "node_modules/shapes/package.json": JSON.stringify({
        exports: { "./names": { types: "./dist/names.d.ts", default: "./dist/names.js" } },
      }),
      "node_modules/shapes/dist/names.d.ts": shared,
      "api/v1/case_types.ts": kind("Spec", 'import type { Spec } from "shapes/names";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("follows the package's own internal imports", async () => {
    const files = {
      "package.json": JSON.stringify({ imports: { "#shared/*": "./api/shared/*.ts" } }),
      "api/shared/names.ts": shared,
      "api/v1/case_types.ts": kind("Spec", 'import type { Spec } from "#shared/names";'),
    };
    expect(await specLines(files)).toBe(nameOnly);
  });

  it("adds what a module augmentation declares", async () => {
    const files = {
      "api/v1/a_types.ts": kind("Spec", `${shared}import "./b_more.ts";`),
      "api/v1/b_more.ts":
        'declare module "./a_types.ts" {\n  interface Spec { more?: string }\n}\nexport {};\n',
    };
    expect(await specLines(files)).toBe(nameOnly.replace("name:", "more:\n    type: string\n  name:"));
  });

  it("resolves known packages that are not installed", async () => {
    const types = kind(
      "Spec",
      'import type { V1SecretKeySelector } from "@kubernetes/client-node";\nexport interface Spec { key?: V1SecretKeySelector["key"] }',
    );
    expect(await specLines({ "api/v1/case_types.ts": types })).toContain("key:\n");
  });

  it("reads kind, plural and scope from constants, in other files, too", async () => {
    const files = {
      "api/names.ts": 'export const names = { kind: "Case", plural: "casen" } as const;\n',
      "api/v1/case_types.ts": `import { defineKind, type CustomResource } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
import { names } from "../names.ts";
export interface Case extends CustomResource<{ name?: string }> {}
export const Case = defineKind<Case>(groupVersion, { kind: names.kind, plural: names.plural, scope: "Cluster" });
`,
    };
    const plan = await planManifests(memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), ...files }));
    expect(plan.changes[0]?.path).toBe("config/crd/bases/example.com_casen.yaml");
    expect(plan.changes[0]?.content).toContain("  scope: Cluster\n");
  });

  it("returns the same bytes for any order of the files", async () => {
    const files = {
      "api/v1/groupversion_info.ts": groupVersion("v1"),
      "api/v2/groupversion_info.ts": groupVersion("v2"),
      "api/v1/case_types.ts": kind("{ one?: string }", ""),
      "api/v2/case_types.ts": kind("{ two?: string }", "").replace(
        "export interface Case",
        "// +kubebuilder:storageversion\nexport interface Case",
      ),
    };
    const forward = memoryTree(files);
    const backward = { ...forward, list: (folder: string) => forward.list(folder).toReversed() };
    const [first, second] = [await planManifests(forward), await planManifests(backward)];
    expect(first.diagnostics).toEqual([]);
    expect(second.changes).toEqual(first.changes);
    expect(first.changes[0]?.content).toMatch(
      / name: v1\n[\s\S]* storage: false\n[\s\S]* name: v2\n[\s\S]* storage: true\n/u,
    );
  });
});
