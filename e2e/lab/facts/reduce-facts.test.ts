import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDiscovery } from "./read-discovery.ts";
import { readFeatureGates } from "./read-feature-gates.ts";
import {
  type GoFacts,
  reduceGates,
  reduceLifetimes,
  reduceResources,
  reduceTypes,
  rootTypes,
} from "./reduce-facts.ts";

const declared = { path: "", number: "", omitEmpty: true, omitZero: false };

const facts: GoFacts = {
  schemas: {
    "io.k8s.api.apps.v1.Shop": {
      properties: {
        metadata: { $ref: "#/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", description: "m" },
        spec: { $ref: "#/io.k8s.api.apps.v1.ShopSpec", description: "s", default: {} },
      },
    },
    "io.k8s.api.apps.v1.ShopSpec": {
      description: "A shop.\n\nTwo lines.",
      required: ["size"],
      properties: {
        size: { type: "integer", format: "int32", default: 0 },
        mode: { type: "string", enum: ["A", "B"] },
        when: { $ref: "#/io.k8s.apimachinery.pkg.apis.meta.v1.Time" },
        parts: {
          items: { type: "string" },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          "x-kubernetes-patch-strategy": "merge",
          "x-kubernetes-patch-merge-key": "name",
        },
      },
    },
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {},
    ...Object.fromEntries(
      ["APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status", "WatchEvent"].map(
        (name) => [`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`, {}],
      ),
    ),
  },
  structs: {
    "io.k8s.api.apps.v1.Shop": [
      { ...declared, name: "kind", kind: "type meta", type: "" },
      { ...declared, name: "metadata", number: "1", kind: "struct", type: "v1.ObjectMeta" },
      { ...declared, name: "spec", number: "2", kind: "struct", type: "v1.ShopSpec" },
    ],
    "io.k8s.api.apps.v1.ShopSpec": [
      { ...declared, name: "size", number: "1", omitEmpty: false, kind: "int32", type: "int32" },
      { ...declared, name: "mode", number: "2", kind: "string", type: "v1.ShopMode" },
      { ...declared, name: "when", number: "3", omitZero: true, kind: "struct", type: "v1.Time" },
      { ...declared, name: "parts", number: "4", kind: "slice", type: "[]string" },
    ],
  },
  columns: { "apps/Shop": [{ Name: "Name", Type: "string", Format: "name", Priority: 0 }] },
  gates: {
    Modes: { stage: "ALPHA", default: false, locked: false },
    Old: { stage: "", default: true, locked: true },
  },
  defaults: { "io.k8s.api.apps.v1.ShopSpec.mode": '"A"' },
  lifetimes: {
    "apps/v1beta1/Shop": { deprecated: "1.9", removed: "1.16", replacement: "apps/v1/Shop" },
    "apps/v1beta1/ShopList": { deprecated: "1.9", removed: "1.16", replacement: "apps/v1/ShopList" },
    "v1/Stall": { deprecated: "1.33", removed: "", replacement: "" },
  },
  gatedFields: new Map([["io.k8s.api.apps.v1.ShopSpec.mode", "Modes"]]),
};

const shops = { name: "shops", singularName: "shop", kind: "Shop", namespaced: true };
const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

test("types are reduced to lines about fields, and a type says that some field of it has no text", () => {
  const lines = reduceTypes(facts, ["apps/v1.Shop"]).filter((line) => !line.startsWith("meta/"));
  expect(lines).toEqual([
    "apps/v1.Shop kind",
    " metadata 1= meta/v1.ObjectMeta",
    " spec 2= .ShopSpec",
    "apps/v1.ShopSpec undescribed lines(7,0,10)",
    " size! 1! int32",
    ' mode 2? string:v1.ShopMode off(Modes) sets="A" enum(A|B)',
    " when 3? Time",
    " parts 4 []string map(name) patch(merge;name)",
  ]);
  expect(() => reduceTypes(facts, ["apps/v1.Stall"])).toThrow("Kubernetes has no type apps/v1.Stall");
});

test("resources, gates and the ends of kinds are reduced to lines", () => {
  const versions = new Map([
    [
      "apps/v1",
      [
        { ...shops, verbs: allVerbs, shortNames: ["sh"], storageVersionHash: "abc" },
        { ...shops, name: "shops/status", verbs: ["get", "patch", "update"] },
        { ...shops, name: "shops/scale", kind: "Scale", group: "autoscaling", version: "v1", verbs: ["get"] },
      ],
    ],
  ]);
  expect(reduceResources(versions, facts)).toEqual([
    "apps/v1",
    "  Shop shops Namespaced short=sh hash=abc /status /scale:autoscaling/v1/Scale(get)",
    "    Name/name",
  ]);
  expect(rootTypes(versions)).toEqual([
    "apps/v1.Shop",
    "apps/v1.ShopList",
    "apps/v1.Shop",
    "autoscaling/v1.Scale",
  ]);
  expect(reduceGates(facts)).toEqual(["Modes off alpha", "Old on ga"]);
  expect(reduceLifetimes(facts)).toEqual([
    "apps/v1beta1/Shop deprecated=1.9 removed=1.16 replacement=apps/v1/Shop",
    "v1/Stall deprecated=1.33",
  ]);
});

/** Writes files below a new folder, and returns it. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "facts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test("discovery has the stable versions, the core group first", () => {
  const document = JSON.stringify({ resources: [shops] });
  const groupVersion = (version: string) => ({ groupVersion: version });
  const folder = folderOf({
    "apis.json": JSON.stringify({
      groups: [{ versions: ["apps/v1", "apps/v1beta1"].map(groupVersion) }],
    }),
    "api__v1.json": document,
    "apis__apps__v1.json": document,
  });
  expect([...readDiscovery(folder).keys()]).toEqual(["v1", "apps/v1"]);
});

test("the gate of a field is in the comment above it", () => {
  const folder = folderOf({
    "apps/v1/types.go": [
      "type ShopSpec struct {",
      "\t// +featureGate=Modes,More",
      "\t// +optional",
      '\tMode string `json:"mode,omitempty"`',
      '\tSize int `json:"size"`',
      "\t// +featureGate=Gone",
      '\t// Old string `json:"old"`',
      '\tNew string `json:"new"`',
      "}",
    ].join("\n"),
    "apps/v1/generated.go": '\t// +featureGate=X\n\tY string `json:"y"`',
  });
  expect([...readFeatureGates(folder)]).toEqual([["io.k8s.api.apps.v1.ShopSpec.mode", "Modes,More"]]);
});
