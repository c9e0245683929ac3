import { expect, test } from "vitest";
import { stringify } from "yaml";
import { bundleTexts, damage, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { checkCatalog } from "../catalog/check-catalog.ts";
import { type Bundle, readBundle } from "../validate/bundle.ts";
import { type Blob, catalogObjects, catalogWith, imageCatalog, subscriptionTo } from "./catalog-objects.ts";

const csv = "manifests/shop-operator.clusterserviceversion.yaml";

function bundleOf(version: string): Bundle {
  const files = rightBundle();
  damage(files, csv, "metadata name", `shop-operator.v${version}`);
  damage(files, csv, "spec version", version);
  return readBundle(memoryTree(bundleTexts(files)), "bundle").bundle;
}

const [first, second] = [bundleOf("1.1.0"), bundleOf("1.2.0")];
const served = {
  packageName: "shop-operator",
  namespace: "shop",
  opmImage: "opm:v1",
  isRestricted: true,
  pullSecret: "registry",
};

function findingsOf(blobs: readonly Blob[]): unknown[] {
  const text = blobs.map((blob) => stringify(blob)).join("---\n");
  return checkCatalog(memoryTree({ "catalog/shop-operator/catalog.yaml": text }), "catalog");
}

test("the catalog of a bundle is valid, and so is that of its upgrade, which replaces it", () => {
  const before = catalogWith(first, "registry.example.com/bundle:v1");
  const after = catalogWith(second, "registry.example.com/bundle:v2", before);

  expect([findingsOf(before), findingsOf(after)]).toEqual([[], []]);
  expect(after.find(({ schema }) => schema === "olm.channel")?.["entries"]).toEqual([
    { name: "shop-operator.v1.1.0" },
    { name: "shop-operator.v1.2.0", replaces: "shop-operator.v1.1.0" },
  ]);
  expect(after.filter(({ schema }) => schema === "olm.bundle").map((blob) => blob["image"])).toEqual([
    "registry.example.com/bundle:v1",
    "registry.example.com/bundle:v2",
  ]);
});

test("another catalog has another pod", () => {
  const podOf = (bundle: Bundle) =>
    catalogObjects(catalogWith(bundle, "bundle:v1"), served).find(({ kind }) => kind === "Deployment");

  expect(podOf(first)).toEqual(podOf(bundleOf("1.1.0")));
  expect(podOf(first)).not.toEqual(podOf(second));
});

test("opm finds nothing but the catalog's file in its folder, and makes a cache of its own", () => {
  const deployment = catalogObjects(catalogWith(first, "bundle:v1"), served).find(
    ({ kind }) => kind === "Deployment",
  );

  expect(deployment).toMatchObject({
    spec: {
      template: {
        spec: {
          containers: [
            {
              command: ["opm", "serve", "/configs", "--port", "50051"],
              volumeMounts: [
                { name: "catalog", mountPath: "/configs/catalog.yaml", subPath: "catalog.yaml" },
                { name: "cache", mountPath: "/tmp" },
              ],
            },
          ],
        },
      },
    },
  });
});

test("OLM asks the Service for the catalog, or runs that of an image", () => {
  const objects = catalogObjects(catalogWith(first, "bundle:v1"), served);

  expect(objects.map(({ kind }) => kind)).toEqual(["ConfigMap", "Deployment", "Service", "CatalogSource"]);
  expect(objects.at(-1)).toMatchObject({
    spec: { address: "shop-operator-catalog.shop.svc:50051", secrets: ["registry"] },
  });
  expect(imageCatalog("catalog:v1", served)).toMatchObject({
    metadata: { name: "shop-operator-catalog" },
    spec: {
      image: "catalog:v1",
      grpcPodConfig: { securityContextConfig: "restricted" },
      secrets: ["registry"],
    },
  });
  expect(subscriptionTo(first, "shop", "stable")).toMatchObject({
    spec: {
      name: "shop-operator",
      channel: "stable",
      source: "shop-operator-catalog",
      sourceNamespace: "shop",
    },
  });
});
