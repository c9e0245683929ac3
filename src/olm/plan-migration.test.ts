import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { damage, rightBundle } from "../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../scaffold/tree.ts";
import { bundleAnnotations as keys } from "./bundle-format.ts";
import { validateBundle } from "./validate/validate-bundle.ts";
import { planMigration } from "./plan-migration.ts";

const csv = "manifests/shop-operator.clusterserviceversion.yaml";
const crd = "manifests/apps.example.com_shops.yaml";

/** Two versions of a package in the old format: 1.1.0 replaces 1.0.0, which is the current one of a channel, too. */
function packageManifests(): Record<string, string> {
  const former = rightBundle();
  damage(former, csv, "metadata name", "shop-operator.v1.0.0");
  damage(former, csv, "spec version", "1.0.0");
  damage(former, csv, "spec replaces", undefined);
  damage(former, csv, "metadata annotations olm.skipRange", undefined);
  damage(former, csv, "spec skips", undefined);
  const next = rightBundle();
  return {
    "old/shop-operator.package.yaml": stringify({
      packageName: "shop-operator",
      channels: [
        { name: "stable", currentCSV: "shop-operator.v1.1.0" },
        { name: "lts", currentCSV: "shop-operator.v1.0.0" },
      ],
      defaultChannel: "stable",
    }),
    "old/1.0.0/csv.yaml": stringify(former[csv]),
    "old/1.0.0/crd.yaml": stringify(former[crd]),
    "old/1.1.0/csv.yaml": stringify(next[csv]),
    "old/1.1.0/crd.yaml": stringify(next[crd]),
  };
}

test("each version becomes a valid bundle, in the channels that lead to it", async () => {
  const files = planMigration(memoryTree(packageManifests()), "old", "bundles");
  expect([...files.keys()]).toEqual([
    "bundles/1.0.0/bundle.Dockerfile",
    "bundles/1.0.0/bundle/metadata/annotations.yaml",
    "bundles/1.0.0/bundle/manifests/crd.yaml",
    "bundles/1.0.0/bundle/manifests/csv.yaml",
    "bundles/1.1.0/bundle.Dockerfile",
    "bundles/1.1.0/bundle/metadata/annotations.yaml",
    "bundles/1.1.0/bundle/manifests/crd.yaml",
    "bundles/1.1.0/bundle/manifests/csv.yaml",
  ]);
  const tree = memoryTree(Object.fromEntries(files));
  expect(await validateBundle(tree, "bundles/1.0.0/bundle")).toEqual([]);
  expect(await validateBundle(tree, "bundles/1.1.0/bundle")).toEqual([]);
  const annotations = (version: string): unknown =>
    (parse(files.get(`bundles/${version}/bundle/metadata/annotations.yaml`)!) as { annotations: unknown })
      .annotations;
  expect(annotations("1.0.0")).toMatchObject({
    [keys.channels]: "stable,lts",
    [keys.defaultChannel]: "stable",
  });
  expect(annotations("1.1.0")).toMatchObject({ [keys.channels]: "stable", [keys.package]: "shop-operator" });
  expect(files.get("bundles/1.0.0/bundle.Dockerfile")).not.toContain("tests/");
});

test.each([
  ["old/shop-operator.package.yaml", undefined, "has no package manifest"],
  ["old/other.package.yaml", "packageName: other", "has several package manifests"],
  ["old/shop-operator.package.yaml", "channels: []", "has no packageName"],
  [
    "old/shop-operator.package.yaml",
    "packageName: shop",
    'no channel of "old/shop-operator.package.yaml" leads to',
  ],
  ["old/shop-operator.package.yaml", "a: [", "is not valid YAML"],
  [
    "old/1.0.0/csv.yaml",
    "kind: ClusterServiceVersion\nmetadata: { name: shop-operator.v1.0.0 }",
    "has no valid spec.version",
  ],
  ["old/1.0.0/csv.yaml", "kind: ClusterServiceVersion", "has no metadata.name"],
  [
    "old/1.0.0/csv.yaml",
    "kind: ClusterServiceVersion\nmetadata: { name: shop-operator.v1.0.0 }\nspec: { version: ../1 }",
    "has no valid spec.version",
  ],
  [
    "old/1.0.0/csv.yaml",
    "kind: ClusterServiceVersion\nmetadata: { name: shop-operator.v1.0.0 }\nspec: { version: .. }",
    "has no valid spec.version",
  ],
])("%s with %j is refused", (path, text, message) => {
  const { [path]: _, ...others } = packageManifests();
  const files = { ...others, ...(text === undefined ? {} : { [path]: text }) };
  expect(() => planMigration(memoryTree(files), "old", "bundles")).toThrow(message);
});
