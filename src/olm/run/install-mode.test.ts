import { expect, test } from "vitest";
import { bundleTexts, damage, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import type { InstallMode } from "../bundle-format.ts";
import { type Bundle, readBundle } from "../validate/bundle.ts";
import { parseInstallMode, targetNamespaces } from "./install-mode.ts";

function bundleFor(...supported: InstallMode[]): Bundle {
  const files = rightBundle();
  const modes = supported.map((type) => ({ type, supported: true }));
  damage(files, "manifests/shop-operator.clusterserviceversion.yaml", "spec installModes", modes);
  return readBundle(memoryTree(bundleTexts(files)), "bundle").bundle;
}

test.each([
  ["AllNamespaces", { type: "AllNamespaces", namespaces: [] }],
  ["SingleNamespace=shop", { type: "SingleNamespace", namespaces: ["shop"] }],
  ["MultiNamespace=shop, bank", { type: "MultiNamespace", namespaces: ["bank", "shop"] }],
])("%s is an install mode", (text, mode) => {
  expect(parseInstallMode(text)).toEqual(mode);
});

test.each([
  "",
  "allNamespaces",
  "AllNamespaces=shop",
  "OwnNamespace=shop",
  "SingleNamespace",
  "SingleNamespace=",
  "SingleNamespace=a,b",
  "MultiNamespace",
  "MultiNamespace=a,B",
])("%j is not", (text) => {
  expect(() => parseInstallMode(text)).toThrow(`"${text}" is not an install mode`);
});

test("without a mode, the operator watches all namespaces, or its own", () => {
  expect(targetNamespaces(bundleFor("OwnNamespace", "AllNamespaces"), "system", undefined)).toEqual([]);
  expect(targetNamespaces(bundleFor("OwnNamespace", "SingleNamespace"), "system", undefined)).toEqual([
    "system",
  ]);
  expect(() => targetNamespaces(bundleFor("MultiNamespace"), "system", undefined)).toThrow(
    "the bundle supports neither AllNamespaces nor OwnNamespace",
  );
});

test("a mode names the namespaces, if the bundle supports it", () => {
  const bundle = bundleFor("OwnNamespace", "SingleNamespace");

  expect(targetNamespaces(bundle, "system", parseInstallMode("OwnNamespace"))).toEqual(["system"]);
  expect(targetNamespaces(bundle, "system", parseInstallMode("SingleNamespace=shop"))).toEqual(["shop"]);
  expect(() => targetNamespaces(bundle, "shop", parseInstallMode("SingleNamespace=shop"))).toThrow(
    "shop is the namespace of the operator itself",
  );
  expect(() => targetNamespaces(bundle, "system", parseInstallMode("AllNamespaces"))).toThrow(
    "the bundle does not support the install mode AllNamespaces",
  );
});
