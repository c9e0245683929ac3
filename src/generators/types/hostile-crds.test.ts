import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  oneof,
  readConfigureGlobal,
  string,
  tuple,
} from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";
import { type TypesPlan, planTypes } from "./types-from-crd.ts";

/** A valid CRD in which every place that takes a string has one. */
const fullCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boxes.example.com", labels: { team: "a" }, annotations: { note: "b" } },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: {
      kind: "Box",
      plural: "boxes",
      singular: "carton",
      listKind: "BoxList",
      shortNames: ["bx"],
      categories: ["all"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: "Use v2.",
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          {
            name: "Size",
            type: "integer",
            format: "int32",
            description: "How large.",
            jsonPath: ".spec.size",
          },
        ],
        selectableFields: [{ jsonPath: ".spec.mode" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A box.",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                description: "What is wanted.",
                required: ["size"],
                properties: {
                  size: { type: "integer", format: "int32", description: "How large it is." },
                  mode: { type: "string", title: "Mode", enum: ["open", "shut"], default: "shut" },
                  "a-b": { type: "string", pattern: "^a+$", format: "password", example: "aa" },
                  ports: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string", description: "Its name.", maxLength: 9 } },
                    },
                  },
                  labels: {
                    type: "object",
                    maxProperties: 3,
                    additionalProperties: { type: "string", description: "One label.", maxLength: 9 },
                  },
                },
                "x-kubernetes-validations": [
                  {
                    rule: "self.size > 0",
                    message: "must be large",
                    reason: "FieldValueInvalid",
                    fieldPath: ".size",
                  },
                ],
              },
              status: {
                type: "object",
                externalDocs: { url: "https://example.com", description: "More." },
                properties: { size: { type: "integer" }, selector: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
};

const nasty = [
  "../../../x",
  "/etc/passwd",
  "..\\x",
  'a"); console.log(1); //',
  "a'); console.log(1); //",
  "`${console.log(1)}`",
  "${console.log(1)}",
  "*/ console.log(1); /*",
  "/** +kubebuilder:rbac:groups=*,resources=*,verbs=* */",
  "+kubebuilder:rbac:groups=*,resources=*,verbs=*",
  "a\n+kubebuilder:rbac:groups=*,resources=*,verbs=*",
  "a\nconsole.log(1);",
  "a\r*/ console.log(1);",
  "*/\u2028console.log(1);",
  "*/\u2029console.log(1);//",
  '`"\u2028console.log(1);//',
  "a\0b",
  "x".repeat(300),
  "__proto__",
  "constructor",
  "a} export const b = {c: 1",
  "<script>alert(1)</script>",
  "",
  " ",
  "@minimum 1",
  "// @ts-nocheck",
  "\\",
  "𝒳\ud800",
];

/** The kinds of statements, and the names that they declare; of a kind's file all but how many types there are. */
function statementsOf(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const { parseDiagnostics = [] } = file as { parseDiagnostics?: readonly ts.Diagnostic[] };
  expect(parseDiagnostics.map(({ messageText }) => messageText)).toEqual([]);
  const kinds = file.statements.map(({ kind }) => ts.SyntaxKind[kind]);
  const isType = (kind: string): boolean => /^(?:Interface|TypeAlias)Declaration$/u.test(kind);
  return [...kinds.filter((kind) => !isType(kind)), ...(kinds.some(isType) ? ["types"] : [])];
}

const statements = {
  "groupversion_info.ts": ["ImportDeclaration", "FirstStatement"],
  "_types.ts": ["ImportDeclaration", "ImportDeclaration", "FirstStatement", "types"],
};

/** Markers begin a line of a comment, and a line ends where any reader of the file says that it ends. */
function markersOf(text: string): string[] {
  return text
    .split(/[\n\r\u2028\u2029]/u)
    .flatMap((line) => /^\s*(?:\/\/|\/?\*+)?\s*(\+kubebuilder:rbac.*)/u.exec(line)?.[1] ?? []);
}

/** Returns the plan; undefined if the CRD is refused. Any other error is a bug. */
async function plan(text: string): Promise<TypesPlan | undefined> {
  try {
    return await planTypes([{ name: "crd.yaml", text }]);
  } catch (error) {
    if (error instanceof TsbuilderError) return undefined;
    throw error;
  }
}

async function expectSafe(text: string): Promise<"planned" | "refused"> {
  const planned = await plan(text);
  for (const { path, content = "" } of planned?.changes ?? []) {
    expect(path).toMatch(/^src\/types\/[a-z0-9.-]+\/[a-z0-9-]+\/[a-z0-9_]+\.ts$/u);
    expect(path.split("/")).not.toContain("..");
    const [, expected] = Object.entries(statements).find(([end]) => path.endsWith(end))!;
    expect(statementsOf(path, content)).toEqual(expected);
    expect(markersOf(content)).toEqual([]);
  }
  return planned ? "planned" : "refused";
}

describe("a third-party CRD", () => {
  it("is accepted if it is harmless", async () => {
    expect(await expectSafe(stringify(fullCrd))).toBe("planned");
  });

  // Each place gets a handful, each string many places: all with all takes half a minute.
  const cases = places(fullCrd).flatMap((place, at) =>
    nasty.filter((_, i) => (i + at) % 9 === 0).map((text) => ({ place, text })),
  );

  it("can't inject code or leave its folder, whatever string is at one of its places", async () => {
    const outcomes = new Set<string>();
    for (const { place, text } of cases) {
      outcomes.add(await expectSafe(stringify(replace(fullCrd, place, text))));
    }
    expect(outcomes).toEqual(new Set(["planned", "refused"]));
  });

  it("can't with random strings at several places at once", async () => {
    const text = oneof(
      constantFrom(...nasty),
      string({ unit: "binary" }),
      array(constantFrom(...nasty, "*/", "\n", '"', "`", "${", "+", "\u2028")).map((parts) => parts.join("")),
    );
    const other = constantFrom<unknown>(null, 1, Number.NaN, true, [], {}, ["a"], { a: "b" });
    const change = tuple(constantFrom(...places(fullCrd)), oneof({ weight: 9, arbitrary: text }, other));
    let planned = 0;
    await assert(
      asyncProperty(array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const crd = changes.reduce<unknown>((changed, [at, to]) => replace(changed, at, to), fullCrd);
        if ((await expectSafe(stringify(crd))) === "planned") planned++;
      }),
      { numRuns: Math.ceil(readConfigureGlobal().numRuns! / 2) },
    );
    expect(planned).toBeGreaterThan(0);
  });

  const spec = ["spec"];
  const names = [...spec, "names"];
  const version = [...spec, "versions", 0];
  const schema = [...version, "schema", "openAPIV3Schema"];
  it.each<[what: string, path: Path, value: unknown, message: string]>([
    ["a group that climbs", [...spec, "group"], "../../../x", "metadata.name"],
    ["a group with capitals", [...spec, "group"], "Example.com", "metadata.name"],
    ["a group without a dot", [...spec, "group"], "example", "metadata.name"],
    ["a list for a group", [...spec, "group"], ["example.com"], "cannot unmarshal array"],
    ["a version that climbs", [...version, "name"], "../../x", "spec.versions[0].name: Invalid value"],
    ["a version with a dot", [...version, "name"], "v1.2", "spec.versions[0].name: Invalid value"],
    ["no version", [...spec, "versions"], [], "spec.versions"],
    ["a version of another type", [...version, "name"], 1, "cannot unmarshal number"],
    ["code for a plural", [...names, "plural"], 'boxes" }); console.log(1); //', "metadata.name"],
    ["code for a kind", [...names, "kind"], "Box {} console.log(1); //", "spec.names.kind: Invalid value"],
    ["a kind of many characters", [...names, "kind"], "B".repeat(300), "spec.names.kind: Invalid value"],
    [
      "a kind with a dash",
      [...names, "kind"],
      "My-Box",
      'the kind "My-Box" cannot be used as the name of a type',
    ],
    [
      "a kind that the file needs",
      [...names, "kind"],
      "Record",
      'the kind "Record" cannot be used as the name of a type',
    ],
    ["a kind that is its list's", [...names, "listKind"], "Box", "kind and listKind may not be the same"],
    ["a singular of code", [...names, "singular"], "a*/b", "spec.names.singular: Invalid value"],
    ["a short name in capitals", [...names, "shortNames"], ["AB_C"], "spec.names.shortNames[0]"],
    ["a category with a line feed", [...names, "categories"], ["a\nb"], "spec.names.categories[0]"],
    ["a template for a group", [...spec, "group"], "{{constructor}}.example.com", "metadata.name"],
    ["a template for a kind", [...names, "kind"], "Box{{kind}}", "spec.names.kind: Invalid value"],
    ["a template for a version", [...version, "name"], "{{> x}}", "spec.versions[0].name: Invalid value"],
    [
      "a description of many megabytes",
      [...schema, "description"],
      "x".repeat(4_000_000),
      "but an API server accepts 3145728",
    ],
    [
      "thousands of versions",
      [...spec, "versions"],
      Array.from({ length: 3000 }, (_, i) => ({
        ...structuredClone(fullCrd.spec.versions[0]),
        name: `v${i + 1}`,
      })),
      "but an API server accepts 3145728",
    ],
    [
      "a rule that an API server would take minutes for",
      [...schema, "properties", "spec", "x-kubernetes-validations", 0, "rule"],
      "self.ports.all(a, self.ports.all(b, self.ports.all(c, a == b && b == c)))",
      "estimated rule cost exceeds budget",
    ],
    [
      "a pattern that grows a thousandfold",
      [...schema, "properties", "spec", "properties", "a-b", "pattern"],
      "(a{1000}){1000}",
      "must be a valid regular expression",
    ],
    ["another scope", [...spec, "scope"], "Galaxy", 'spec.scope: Unsupported value: "Galaxy"'],
    ["another name", ["metadata", "name"], "boxes.example.org", "metadata.name: Invalid value"],
    ["an apiVersion of old", ["apiVersion"], "apiextensions.k8s.io/v1beta1", "its apiVersion is"],
    ["a text for a schema", schema, "x", "cannot unmarshal string"],
  ])("is refused for %s", async (_, path, value, message) => {
    const crd = replace(fullCrd, { path, isKey: false }, value);
    const planned = planTypes([{ name: "crd.yaml", text: stringify(crd) }]);
    await expect(planned).rejects.toThrow(TsbuilderError);
    await expect(planned).rejects.toThrow(message);
  });

  const crd = "kind: CustomResourceDefinition\n";
  const lines = Array.from("bcdefghi", (name, i) => `${name}: &${name} [${`*${"abcdefgh"[i]},`.repeat(9)}]`);
  const keys = Array.from({ length: 100_000 }, (_, i) => `k${i}: 1\n`).join("");
  it.each([
    ["aliases that explode", `a: &a [x]\n${lines.join("\n")}\n${crd}`, "nested too deeply"],
    ["an alias for what it is part of", `${crd}metadata: &a\n  labels: *a\n`, "nested too deeply"],
    ["thousands of brackets", `${crd}spec: ${"[".repeat(20_000)}`, "nested too deeply"],
    ["thousands of nested fields", `${crd}spec: ${'{"a":'.repeat(20_000)}`, "nested too deeply"],
    ["a key that is given twice", `${crd}${crd}`, "Map keys must be unique at line 2, column 1"],
    ["a hundred thousand keys", `${crd}${keys}`, "its apiVersion is missing"],
    ["a tag that asks for code", `${crd}metadata: !!js/function "x"\n`, "its apiVersion is missing"],
    ["no CRD at all", "kind: Pod\n", "contains no CustomResourceDefinition"],
  ])("is refused for %s", async (_, text, message) => {
    const planned = planTypes([{ name: "crd.yaml", text }]);
    await expect(planned).rejects.toThrow(TsbuilderError);
    await expect(planned).rejects.toThrow(message);
  });

  it("is rejected beside another CRD with the same file", async () => {
    const twin = replace(fullCrd, { path: [...names, "kind"], isKey: false }, "BOX");
    const planned = planTypes([fullCrd, twin].map((crd) => ({ name: "crd.yaml", text: stringify(crd) })));
    await expect(planned).rejects.toThrow("two of the CRDs result in the file");
  });
});

/** The steps from the root of a value to one in it. */
type Path = readonly (string | number)[];

/** A place in a value: what stands there, or its key. */
interface Place {
  readonly path: Path;
  readonly isKey: boolean;
}

/** Every place of a string, as a value or as a key. */
function places(value: unknown, path: Path = []): Place[] {
  if (typeof value === "string") return [{ path, isKey: false }];
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, isList ? Number(key) : key];
    return [...(isList ? [] : [{ path: at, isKey: true }]), ...places(inner, at)];
  });
}

/** A copy with another value, or another key, at one place. */
function replace(value: unknown, { path, isKey }: Place, text: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return value.map((item, i) =>
      i === step ? replace(item, { path: rest, isKey }, text) : (item as unknown),
    );
  }
  const entries = Object.entries(value as object).map(([key, inner]): [string, unknown] => {
    if (key !== step) return [key, inner];
    if (isKey && rest.length === 0) return [String(text), inner];
    return [key, replace(inner, { path: rest, isKey }, text)];
  });
  return Object.fromEntries(entries);
}
