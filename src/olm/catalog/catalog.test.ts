import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { bundleTexts, damage, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { Draft, memoryTree } from "../../scaffold/tree.ts";
import { readBundle } from "../validate/bundle.ts";
import { addBundle } from "./edit-catalog.ts";
import { checkCatalog } from "./check-catalog.ts";
import { catalogRules } from "./catalog.ts";
import { formatInstallation } from "./format-installation.ts";
import { newPackage } from "./edit-catalog.ts";
import { renderBundle } from "./render-bundle.ts";

const csv = "manifests/shop-operator.clusterserviceversion.yaml";
const image = "registry.example.com/shop-bundle:v1";
const file = "catalog/shop-operator/catalog.yaml";

/** The right bundle, or one of another version that replaces nothing. */
function bundleOf(version?: string): ReturnType<typeof readBundle>["bundle"] {
  const files = rightBundle();
  if (version !== undefined) {
    damage(files, csv, "metadata name", `shop-operator.v${version}`);
    damage(files, csv, "spec version", version);
    damage(files, csv, "spec replaces", undefined);
    damage(files, csv, "spec skips", undefined);
  }
  return readBundle(memoryTree(bundleTexts(files)), "bundle").bundle;
}

function emptyCatalog(): Draft {
  const settings = {
    name: "shop-operator",
    defaultChannel: "stable",
    description: undefined,
    icon: undefined,
  };
  return new Draft(memoryTree(newPackage("catalog", settings)));
}

/** A catalog with two versions in the channels stable and fast. */
function rightCatalog(): Draft {
  const draft = emptyCatalog();
  const addition = { folder: "catalog", channels: ["stable", "fast"], image };
  addBundle(draft, bundleOf("1.0.0"), addition);
  addBundle(draft, bundleOf(), addition);
  return draft;
}

const blobsOf = (draft: Draft): Record<string, unknown>[] =>
  parseAllDocuments(draft.read(file)!).map((document) => document.toJS() as Record<string, unknown>);

describe("a bundle in a catalog", () => {
  test("has its kinds, package, description and images", () => {
    const { properties, relatedImages, ...blob } = renderBundle(bundleOf(), image);
    expect(blob).toEqual({
      schema: "olm.bundle",
      name: "shop-operator.v1.1.0",
      package: "shop-operator",
      image,
    });
    expect(properties.slice(0, 3)).toEqual([
      { type: "olm.gvk", value: { group: "apps.example.com", kind: "Shop", version: "v1" } },
      { type: "olm.gvk", value: { group: "apps.example.com", kind: "Shop", version: "v2" } },
      { type: "olm.package", value: { packageName: "shop-operator", version: "1.1.0" } },
    ]);
    expect(properties[3]).toMatchObject({
      type: "olm.csv.metadata",
      value: { displayName: "Shop Operator", provider: { name: "Example" } },
    });
    expect(Object.keys(properties[3]!.value as object)).not.toContain("install");
    expect(relatedImages.map(({ name }) => name)).toEqual(["manager", ""]);
  });

  test("needs what metadata/dependencies.yaml and spec.customresourcedefinitions.required say", () => {
    const files = {
      ...rightBundle(),
      "metadata/dependencies.yaml": {
        dependencies: [
          { type: "olm.package", value: { packageName: "queue", version: ">=1.0.0" } },
          { type: "olm.gvk", value: { group: "queue.example.com", kind: "Queue", version: "v1" } },
        ],
      },
      "metadata/properties.yaml": { properties: [{ type: "olm.maxOpenShiftVersion", value: "4.18" }] },
    };
    damage(files, csv, "spec customresourcedefinitions required", [
      { name: "carts.cart.example.com", version: "v1", kind: "Cart" },
    ]);
    const { properties } = renderBundle(readBundle(memoryTree(bundleTexts(files)), "bundle").bundle, image);
    expect(properties).toEqual(
      expect.arrayContaining([
        { type: "olm.gvk.required", value: { group: "cart.example.com", kind: "Cart", version: "v1" } },
        { type: "olm.gvk.required", value: { group: "queue.example.com", kind: "Queue", version: "v1" } },
        { type: "olm.package.required", value: { packageName: "queue", versionRange: ">=1.0.0" } },
        { type: "olm.maxOpenShiftVersion", value: "4.18" },
      ]),
    );
  });
});

describe("addBundle()", () => {
  test("adds channels, entries with their upgrades and bundles, and keeps comments", () => {
    const draft = emptyCatalog();
    draft.write(file, `# Ours\n${draft.read(file)}`);
    const addition = { folder: "catalog", channels: ["stable"], image };
    addBundle(draft, bundleOf("1.0.0"), addition);
    addBundle(draft, bundleOf(), addition);
    expect(draft.read(file)).toMatch(/^# Ours\nschema: olm\.package\n/u);
    expect(blobsOf(draft).map(({ schema, name }) => `${String(schema)} ${String(name)}`)).toEqual([
      "olm.package shop-operator",
      "olm.channel stable",
      "olm.bundle shop-operator.v1.0.0",
      "olm.bundle shop-operator.v1.1.0",
    ]);
    expect(blobsOf(draft)[1]!["entries"]).toEqual([
      { name: "shop-operator.v1.0.0", skipRange: ">=1.0.0 <1.1.0" },
      {
        name: "shop-operator.v1.1.0",
        replaces: "shop-operator.v1.0.0",
        skips: ["shop-operator.v1.0.1"],
        skipRange: ">=1.0.0 <1.1.0",
      },
    ]);
    expect(checkCatalog(draft, "catalog")).toEqual([]);
  });

  test("refuses a bundle that is there, and a package that is not", () => {
    const addition = { folder: "catalog", channels: ["stable"], image };
    expect(() => addBundle(rightCatalog(), bundleOf(), addition)).toThrow(
      'has the bundle "shop-operator.v1.1.0" already',
    );
    expect(() => addBundle(new Draft(memoryTree()), bundleOf(), addition)).toThrow(
      'has no package "shop-operator"',
    );
  });
});

test("a channel that is named twice gets one entry, and other texts keep their lines", () => {
  const draft = emptyCatalog();
  const description = `description: ${"long words ".repeat(20).trim()}\n`;
  draft.write(file, `${draft.read(file)!.trimEnd()}\n${description}`);
  addBundle(draft, bundleOf("1.0.0"), { folder: "catalog", channels: ["stable", "stable"], image });
  addBundle(draft, bundleOf(), { folder: "catalog", channels: ["stable"], image });
  expect(draft.read(file)).toContain(description);
  expect(blobsOf(draft).filter(({ schema }) => schema === "olm.channel")).toHaveLength(1);
});

test("an entry is not added to a channel in JSON", () => {
  const draft = emptyCatalog();
  const channel = { schema: "olm.channel", package: "shop-operator", name: "stable", entries: [] };
  draft.write("catalog/channels.json", JSON.stringify(channel));
  expect(() => addBundle(draft, bundleOf(), { folder: "catalog", channels: ["stable"], image })).toThrow(
    "entries are added to YAML only",
  );
});

/** Changes to the blobs: package, channels stable and fast, bundles 1.0.0 and 1.1.0; and the text at the finding. */
const damages: [
  rule: keyof typeof catalogRules,
  change: (blobs: Record<string, unknown>[]) => unknown,
  text: string,
][] = [
  ["blob-schema", (blobs) => delete blobs[3]!["schema"], "name: shop-operator.v1.0.0"],
  ["package-missing", (blobs) => (blobs[3]!["package"] = "cart"), "cart"],
  ["package-duplicate", (blobs) => blobs.push(blobs[0]!), "shop-operator"],
  ["default-channel", (blobs) => (blobs[0]!["defaultChannel"] = "beta"), "beta"],
  ["channel-name", (blobs) => (blobs[2]!["name"] = "stable"), "stable"],
  ["channel-empty", (blobs) => (blobs[2]!["entries"] = []), "entries: []"],
  ["channel-head", (blobs) => delete entry(blobs, 1)["replaces"], "entries:"],
  ["channel-head", (blobs) => (entry(blobs, 1)["skips"] = ["shop-operator.v1.1.0"]), "entries:"],
  ["channel-cycle", (blobs) => (entry(blobs, 0)["replaces"] = "shop-operator.v1.1.0"), "shop-operator.v1"],
  [
    "channel-cycle",
    (blobs) => (entry(blobs, 1)["replaces"] = "shop-operator.v1.1.0"),
    "shop-operator.v1.1.0",
  ],
  ["channel-stranded", strand, "shop-operator.v0.8.0"],
  ["entry-duplicate", (blobs) => (entry(blobs, 0)["name"] = "shop-operator.v1.1.0"), "shop-operator.v1.1.0"],
  ["entry-bundle", (blobs) => (entry(blobs, 0)["name"] = "shop-operator.v0.9.0"), "shop-operator.v0.9.0"],
  ["entry-skips", (blobs) => (entry(blobs, 0)["skips"] = [""]), '""'],
  ["entry-skips", (blobs) => (entry(blobs, 0)["skips"] = [1]), "1"],
  ["entry-skip-range", (blobs) => (entry(blobs, 0)["skipRange"] = "^1"), "^1"],
  ["bundle-duplicate", (blobs) => blobs.push(blobs[3]!), "shop-operator.v1.0.0"],
  ["bundle-channel", (blobs) => (blobs[3]!["name"] = "shop-operator.v0.9.0"), "shop-operator.v0.9.0"],
  ["bundle-image", (blobs) => delete blobs[3]!["image"], "schema:"],
  ["bundle-package", (blobs) => (blobs[3]!["properties"] = []), "properties: []"],
  ["bundle-package", (blobs) => (packageOf(blobs[3])["version"] = "1.0"), '"1.0"'],
  ["bundle-version", (blobs) => (packageOf(blobs[4])["version"] = "1.0.0"), "1.0.0"],
];

test.each(damages)("%s is found, at its place", (rule, change, text) => {
  const draft = rightCatalog();
  const blobs = blobsOf(draft);
  change(blobs);
  const written = blobs.map((blob) => stringify(blob, { aliasDuplicateObjects: false })).join("---\n");
  draft.write(file, written);
  const found = checkCatalog(draft, "catalog").map((one) => {
    const { line, column } = one.position;
    const source = written.split("\n").at(line - 1)!;
    return [one.rule, source.slice(column - 1).startsWith(text)];
  });
  expect(found).toContainEqual([rule, true]);
});

test("a catalog with a piece of text cut out or inserted never ends in a JavaScript error", () => {
  const text = rightCatalog().read(file)!;
  const insert = fc.constantFrom("", "\n", "  ", "- ", ": ", "*a", "{", "---\n", "null", "[]", "entries:\n");
  fc.assert(
    fc.property(fc.nat(text.length), fc.nat(60), insert, (from, length, inserted) => {
      const written = text.slice(0, from) + inserted + text.slice(from + length);
      const lines = written.split("\n");
      const findings = checkCatalog(memoryTree({ [file]: written }), "catalog");
      const outside = findings.filter(
        ({ position: { line, column } }) => line > lines.length || column > lines[line - 1]!.length + 1,
      );
      expect(outside).toEqual([]);
    }),
  );
});

test("every rule of catalogs is broken by a damage, and a right catalog breaks none", () => {
  const draft = rightCatalog();
  expect(checkCatalog(draft, "catalog")).toEqual([]);
  draft.write("catalog/broken.yaml", "a: [");
  const shown = new Set<string>([
    ...damages.map(([rule]) => rule),
    ...checkCatalog(draft, "catalog").map(({ rule }) => rule),
  ]);
  expect(Object.keys(catalogRules).filter((rule) => !shown.has(rule))).toEqual([]);
});

test("the manifests that install a package are for OLM v1 or v0", () => {
  const installation = {
    packageName: "shop",
    channel: "stable",
    image: "registry.example.com/catalog:v1",
    namespace: "shops",
  };
  const kinds = (version: "v0" | "v1"): unknown[] =>
    parseAllDocuments(formatInstallation(version, installation)).map((document) => document.get("kind"));
  expect(kinds("v1")).toEqual([
    "ClusterCatalog",
    "Namespace",
    "ServiceAccount",
    "ClusterRoleBinding",
    "ClusterExtension",
  ]);
  expect(kinds("v0")).toEqual(["Namespace", "CatalogSource", "OperatorGroup", "Subscription"]);
});

function entry(blobs: Record<string, unknown>[], index: number): Record<string, unknown> {
  return (blobs[1]!["entries"] as Record<string, unknown>[])[index]!;
}

function packageOf(blob: Record<string, unknown> | undefined): Record<string, unknown> {
  const properties = blob!["properties"] as { type: string; value: Record<string, unknown> }[];
  return properties.find(({ type }) => type === "olm.package")!.value;
}

/** Two old versions that lead to each other's end, but not to the head. */
function strand(blobs: Record<string, unknown>[]): void {
  const entries = blobs[1]!["entries"] as unknown[];
  entries.push({ name: "shop-operator.v0.8.0" });
  entry(blobs, 1)["skips"] = ["shop-operator.v0.9.0"];
  entries.push({ name: "shop-operator.v0.9.0", replaces: "shop-operator.v0.8.0" });
}
