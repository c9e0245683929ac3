import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../../e2e/golden/golden-projects.ts";
import { TsbuilderError } from "../../../shared/errors.ts";

let folder: string;
let root: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-third-party-"));
  root = join(folder, "project");
  mkdirSync(root);
  await run("init --domain example.com --project-name shop".split(" "), root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const schema = { openAPIV3Schema: { type: "object" } };
const crd = (group: string, plural: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { kind: "Box", plural },
    versions: [{ name: "v1", served: true, storage: true, schema }],
  },
});
const everything = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

const commands = [
  "generate types ../crd.yaml",
  "create api --group example.org --version v1 --kind Box --resource=false --crd ../crd.yaml --make=false",
  "create webhook --group example.org --version v1 --kind Box --defaulting --crd ../crd.yaml --make=false",
];
/** A CRD whose names, version or schema are others. */
const named = (names: object) => {
  const whole = crd("example.org", "boxes");
  return { ...whole, spec: { ...whole.spec, names: { ...whole.spec.names, ...names } } };
};
const versioned = (version: object) => {
  const whole = crd("example.org", "boxes");
  const [first] = whole.spec.versions;
  return { ...whole, spec: { ...whole.spec, versions: [{ ...first, ...version }] } };
};
const withSchema = (properties: object) =>
  versioned({ schema: { openAPIV3Schema: { type: "object", properties } } });

/** Text that stands for a billion others as soon as its aliases are followed. */
const bomb = [
  "apiVersion: apiextensions.k8s.io/v1",
  "kind: CustomResourceDefinition",
  'a0: &a0 ["x", "x", "x", "x", "x", "x", "x", "x", "x", "x"]',
  ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(10)}]`),
].join("\n");
const nested = JSON.stringify(withSchema({ a: "DEEP" })).replace(
  '"DEEP"',
  `${'{"type":"object","properties":{"a":'.repeat(30_000)}{}${"}}".repeat(30_000)}`,
);

/** What is wrong with a CRD, the CRD, and what the error says. */
const hostile: readonly (readonly [string, unknown, string])[] = [
  ["has a group that leaves the project", crd("../../../x", "boxes"), "spec.group"],
  ["has a plural that is code", crd("example.org", 'boxes" }); console.log(1); //'), "spec.names.plural"],
  ["has a plural that is a path", crd("example.org", "../boxes"), "spec.names.plural"],
  [
    "has a group with a marker",
    crd("example.org\n+kubebuilder:rbac:groups=*,resources=*,verbs=*", "boxes"),
    "spec.group",
  ],
  ["has a group that is a template", crd("{{example}}.org", "boxes"), "spec.group"],
  ["has a kind that is a path", named({ singular: "box", kind: "../Box" }), "spec.names.kind"],
  [
    "has a kind that is code",
    named({ singular: "box", kind: "Box {}; console.log(1); interface X" }),
    "spec.names.kind",
  ],
  [
    "has a kind that is a template",
    named({ singular: "box", kind: "{{#each this}}{{this}}{{/each}}" }),
    "spec.names.kind",
  ],
  ["has the kind of all objects", named({ singular: "box", kind: "__proto__" }), "spec.names.kind"],
  ["has a list kind that is code", named({ listKind: "BoxList; console.log(1)" }), "spec.names.listKind"],
  ["has a singular that is a path", named({ singular: "../../box" }), "spec.names.singular"],
  ["has a short name that is code", named({ shortNames: ["b; rm -rf ~"] }), "spec.names.shortNames[0]"],
  ["has a category with a line break", named({ categories: ["all\nx"] }), "spec.names.categories[0]"],
  ["has a version that is a path", versioned({ name: "../../v1" }), "spec.versions[0].name"],
  ["has a version that is code", versioned({ name: 'v1"; console.log(1); //' }), "spec.versions[0].name"],
  [
    "has a pattern that no server compiles",
    withSchema({ a: { type: "string", pattern: "(a+" } }),
    "must be a valid regular expression",
  ],
  [
    "has a type that is code",
    withSchema({ a: { type: 'string"; console.log(1); //' } }),
    "Unsupported value",
  ],
  [
    "has a rule that is not CEL",
    withSchema({ a: { type: "string", "x-kubernetes-validations": [{ rule: "self." }] } }),
    "compilation failed",
  ],
  ["is nested without end", nested, "nested too deeply"],
  [
    "is larger than an API server accepts",
    withSchema({ a: { type: "string", description: "x".repeat(4_000_000) } }),
    "but an API server accepts 3145728",
  ],
  ["is a bomb of aliases", bomb, "nested too deeply"],
  [
    "has an alias for what it is part of",
    "kind: CustomResourceDefinition\nspec: &a\n  names: *a\n",
    "nested too deeply",
  ],
  ["has a key twice", "kind: CustomResourceDefinition\nkind: Pod\n", "Map keys must be unique at line 2"],
  [
    "has a tag that names a function",
    "!!js/function 'function () { console.log(1) }'",
    "contains no CustomResourceDefinition",
  ],
  ["is binary", "\0\u0001\u0002", "is not UTF-8 text"],
];

describe.each(commands)("tsbuilder %s", (command) => {
  test.each(hostile)("writes nothing for a CRD that %s, and says so", async (_, content, message) => {
    writeFileSync(join(folder, "crd.yaml"), typeof content === "string" ? content : JSON.stringify(content));
    const before = everything();
    const error: unknown = await run(command.split(" "), root).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TsbuilderError);
    const { code, message: said, hint } = error as TsbuilderError;
    expect({ code, hint: hint !== "" }).toEqual({ code: "INVALID_SOURCE", hint: true });
    expect(said).toContain(message);
    expect(said.length).toBeLessThan(600);
    expect(everything()).toEqual(before);
  });

  test("does not follow a link out of the project", async () => {
    writeFileSync(join(folder, "crd.yaml"), JSON.stringify(crd("example.org", "boxes")));
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(root, "src/types"));
    const before = everything();
    for (const mode of [[], ["--dry-run"], ["--diff"]]) {
      const done = run([...command.split(" "), ...mode], root);
      await expect(done).rejects.toThrow('"src/types" is a symbolic link that leads out of it');
    }
    expect(everything()).toEqual(before);
  });
});

test.each(["--output ../elsewhere", "--output src/../../elsewhere", "--output /tmp/elsewhere"])(
  "tsbuilder generate types %s is refused",
  async (output) => {
    writeFileSync(join(folder, "crd.yaml"), JSON.stringify(crd("example.org", "boxes")));
    const before = everything();
    const done = run(`generate types ../crd.yaml ${output}`.split(" "), root);
    await expect(done).rejects.toThrow("is outside of the project");
    expect(everything()).toEqual(before);
  },
);

test("a folder in the place of a CRD is named", async () => {
  await expect(run(["generate", "types", folder], root)).rejects.toMatchObject({
    code: "EISDIR",
    path: folder,
  });
});
