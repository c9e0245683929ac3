import { expect, test } from "vitest";
import { type BundleFiles, bundleTexts, damage, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { readBundle } from "../validate/bundle.ts";
import { builtInChecks, type OwnedKind } from "./run-tests.ts";
import type { TestResult } from "./test-list.ts";

const csv = "manifests/shop-operator.clusterserviceversion.yaml";
const owned = "spec customresourcedefinitions owned";

const shop = (more: object = {}): ManifestObject => ({
  apiVersion: "apps.example.com/v1",
  kind: "Shop",
  metadata: { name: "shop-sample" },
  spec: { replicas: 3 },
  status: { phase: "Open" },
  ...more,
});

/** A bundle that passes all tests. */
function describedBundle(): BundleFiles {
  const files = rightBundle();
  for (const index of [0, 1]) {
    damage(files, csv, `${owned} ${index} resources`, [{ kind: "Deployment", version: "v1", name: "" }]);
    damage(files, csv, `${owned} ${index} specDescriptors`, [{ path: "replicas" }]);
    damage(files, csv, `${owned} ${index} statusDescriptors`, [{ path: "phase" }]);
  }
  return files;
}

function check(
  name: string,
  files: BundleFiles,
  object: ManifestObject = shop(),
  made: readonly OwnedKind[] = [],
): Promise<TestResult> {
  const tree = memoryTree(bundleTexts(files));
  const { bundle } = readBundle(tree, "bundle");
  return Promise.resolve(
    builtInChecks[name]!(name, {
      tree,
      folder: "bundle",
      bundle,
      examples: [{ object, made }],
      problems: [],
      isRunning: true,
    }),
  );
}

test.each(Object.keys(builtInChecks))("%s passes", async (name) => {
  const { state, errors } = await check(name, describedBundle());
  expect([state, errors]).toEqual(["pass", []]);
});

const deployment = { apiVersion: "apps/v1", kind: "Deployment" };
const sizes = { size: 1, replicas: 3 };

test.each([
  ["olm-bundle-validation", ["spec version", "1.1"], shop(), 'spec.version "1.1" is not a semantic version'],
  [
    "olm-crds-have-validation",
    [],
    shop({ spec: sizes }),
    "the schema of apps.example.com/v1 Shop does not declare spec.size",
  ],
  [
    "olm-crds-have-validation",
    [],
    shop({ kind: "Mall" }),
    "the example Mall shop-sample: no CRD of the bundle has apps.example.com/v1 Mall",
  ],
  ["olm-crds-have-resources", [`${owned} 0 resources`, []], shop(), "Shop v1 lists no resources"],
  ["olm-spec-descriptors", [], shop({ spec: sizes }), "Shop v1 has no descriptor for spec.size"],
  [
    "olm-spec-descriptors",
    [],
    shop({ apiVersion: "apps.example.com/v3" }),
    "the example Shop shop-sample: the bundle does not own apps.example.com/v3 Shop",
  ],
  [
    "olm-status-descriptors",
    [`${owned} 0 statusDescriptors`, []],
    shop(),
    "Shop v1 has no descriptor for status.phase",
  ],
] as const)("%s fails of %j", async (name, [path, value], object, error) => {
  const files = describedBundle();
  if (path !== undefined) damage(files, csv, path, value);
  const { state, errors, suggestions } = await check(name, files, object);

  expect(state).toBe("fail");
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(error);
  expect(suggestions.length).toBeGreaterThan(0);
});

test("a field is described by a descriptor of a field in it, but not by one whose name begins alike", async () => {
  const object = shop({ spec: { replicas: 1, limits: {}, list: [] } });
  const files = describedBundle();
  const paths = ["replicas", "limits.cpu", "list[0].name"];
  damage(
    files,
    csv,
    `${owned} 0 specDescriptors`,
    paths.map((path) => ({ path })),
  );
  const alike = structuredClone(files);
  damage(
    alike,
    csv,
    `${owned} 0 specDescriptors`,
    [...paths.slice(1), "replicasOf"].map((path) => ({ path })),
  );

  expect((await check("olm-spec-descriptors", files, object)).errors).toEqual([]);
  expect((await check("olm-spec-descriptors", alike, object)).errors).toEqual([
    "Shop v1 has no descriptor for spec.replicas",
  ]);
});

test("the marker to add names what the operator made", async () => {
  const files = describedBundle();
  damage(files, csv, `${owned} 0 resources`, undefined);
  const made = [deployment, { apiVersion: "v1", kind: "Service" }, deployment];
  const { suggestions } = await check("olm-crds-have-resources", files, shop(), made);

  expect(suggestions).toEqual([
    'Shop v1: the operator made these: // +operator-sdk:csv:customresourcedefinitions:resources={{Deployment,v1,""},{Service,v1,""}}',
  ]);
});

test("an example without spec passes, and is named", async () => {
  const result = await check("basic-check-spec", describedBundle(), shop({ spec: undefined }));

  expect(result).toMatchObject({
    state: "pass",
    suggestions: ["the example Shop shop-sample has no spec: add one in config/samples"],
  });
});

test("an example without status passes, and is named", async () => {
  const result = await check("olm-status-descriptors", describedBundle(), shop({ status: {} }));

  expect(result).toMatchObject({
    state: "pass",
    suggestions: ["the example Shop shop-sample has no status, though the operator runs"],
  });
});
