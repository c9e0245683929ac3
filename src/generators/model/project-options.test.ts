import { expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { planDocs } from "../docs/api-reference.ts";
import { planManifests } from "../manifests.ts";
import type { GeneratorOptions } from "./options.ts";
import { planSchemaPatch } from "../schemapatch/plan-schema-patch.ts";

const box = `import { type CustomResource, defineKind, type ObjectMeta } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
interface BoxSpec { /** A long description. */ template?: { metadata?: ObjectMeta }; share?: number }
export interface Box extends CustomResource<BoxSpec> {}
export const Box = defineKind<Box>(groupVersion, { kind: "Box", plural: "boxes" });
`;
const groupVersion = `export const groupVersion = { group: "example.com", version: "v1" };`;
const crd = `kind: CustomResourceDefinition
spec: { group: example.com, names: { kind: Box }, versions: [{ name: v1, schema: { openAPIV3Schema: {} } }] }
`;

const project = (options: string) =>
  memoryTree({
    PROJECT: `version: "3"\nmanifests:${options}\n`,
    "api/v1/box_types.ts": box,
    "api/v1/groupversion_info.ts": groupVersion,
    "deploy/box.yaml": crd,
  });

const chosen = " { allowDangerousTypes: true, generateEmbeddedObjectMeta: true }";

async function written(options: string, given: GeneratorOptions = {}): Promise<string> {
  const { changes, diagnostics } = await planManifests(project(options), given);
  return changes.map(({ content }) => content).join("") || diagnostics.map(({ message }) => message).join("");
}

it("the options in PROJECT hold for manifests, schemapatch and the reference", async () => {
  expect(await written(" {}")).toContain("a number may be fractional");
  expect(await written(chosen)).toContain("finalizers:");
  const patched = await planSchemaPatch(project(chosen), "deploy");
  expect(patched.changes.map(({ content }) => content).join("")).toContain("finalizers:");
  const docs = await planDocs(project(chosen));
  expect(docs.changes.map(({ content }) => content).join("")).toContain("metadata.finalizers");
});

it("what a command is given comes first", async () => {
  expect(await written(chosen, { generateEmbeddedObjectMeta: false })).not.toContain("finalizers:");
  expect(await written(chosen, { maxDescLen: 0 })).not.toContain("A long description.");
  expect(await written(`${chosen.slice(0, -1)}, maxDescLen: 0 }`)).not.toContain("A long description.");
});

it.each([
  [" yes", "must be a mapping"],
  [" { paths: [api] }", 'has no "paths"'],
  [" { toString: true }", 'has no "toString"'],
  [' { trimDescriptions: "no" }', "must be true or false"],
  [" { maxDescLen: -1 }", "must be a number of bytes"],
  [" { featureGates: Alpha }", "must be a list of names"],
  [' { roleName: "" }', "must be a name"],
  [" [", "not valid YAML"],
])("manifests:%s is refused", async (options, message) => {
  await expect(planManifests(project(options))).rejects.toThrow(message);
});

it.each(['"manifests":', "manifests :", "? manifests\n:"])("%s names the options, too", async (key) => {
  const files = { PROJECT: `version: "3"\n${key} { maxDescLen: 0, allowDangerousTypes: true }\n` };
  const tree = memoryTree({
    ...files,
    "api/v1/box_types.ts": box,
    "api/v1/groupversion_info.ts": groupVersion,
  });
  const { changes } = await planManifests(tree);
  expect(changes.map(({ content }) => content).join("")).toContain("kind: Box\n");
});
