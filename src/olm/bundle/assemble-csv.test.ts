import { expect, test } from "vitest";
import type { KindDescription } from "../../generators/crd/describe-kinds.ts";
import { parseManifest } from "../../ship/manifest.ts";
import {
  account,
  assemble,
  assembleObjects,
  base,
  crd,
  deployment,
  installed,
} from "./testdata/sample-bundle.ts";

test("a bundle has the base's words, the deployment, and the package's version", () => {
  const { csv, notes } = assemble(account);

  expect(csv.metadata.name).toBe("shop.v1.2.0");
  expect(csv.metadata["annotations"]).toMatchObject({
    capabilities: "Basic Install",
    containerImage: "shop:v1",
    "operatorframework.io/suggested-namespace": "shop-system",
  });
  expect(csv.spec).toMatchObject({ displayName: "Shop", version: "1.2.0" });
  expect(installed({ csv, notes, objects: [] })).toMatchObject({
    name: "shop-controller-manager",
    label: { app: "shop" },
  });
  expect(notes).toEqual([]);
});

test("OLM's annotation says what to watch as soon as an install mode other than all namespaces is supported", () => {
  const watched = {
    name: "WATCH_NAMESPACE",
    valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
  };
  const env = (csv: string): unknown =>
    installed(assembleObjects([csv, deployment].flatMap(parseManifest))).spec.template.spec!.containers[0]!
      .env;

  expect(env(base)).toBeUndefined();
  expect(env(base.replace("supported: false", "supported: true"))).toEqual([watched]);
});

test("CRDs are owned in the versions that are served, described by their schemas, without cert-manager's annotation", () => {
  const { csv, objects, notes } = assemble(crd);

  expect(csv.spec.customresourcedefinitions?.owned).toEqual([
    {
      kind: "Order",
      name: "orders.shop.example.com",
      version: "v1",
      displayName: "Order",
      description: "An Order.",
      specDescriptors: [
        {
          path: "minReadySeconds",
          displayName: "Min Ready Seconds",
          description: "Seconds.",
          "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:number"],
        },
      ],
      statusDescriptors: [{ path: "clusterIPs", displayName: "Cluster IPs" }],
    },
  ]);
  expect(objects[0]).toMatchObject({ fileName: "shop.example.com_orders.yaml" });
  expect(objects[0]!.object.metadata).toEqual({ name: "orders.shop.example.com" });
  expect(notes).toEqual([expect.stringMatching(/^no example of Order: /u)]);
});

test("markers overwrite what schemas say, describe inner fields, and put fields and resources in order", () => {
  const field = { description: undefined, displayName: undefined, order: undefined, xDescriptors: [] };
  const said: KindDescription = {
    name: "orders.shop.example.com",
    version: "v1",
    displayName: "A purchase",
    order: 1,
    resources: [
      ["Pod", "v1", ""],
      ["Service", "v1", "front"],
    ],
    spec: [
      { ...field, path: "minReadySeconds", name: "minReadySeconds", displayName: "Patience" },
      {
        ...field,
        path: "items[0].name",
        name: "name",
        description: "Its name.",
        order: 1,
        xDescriptors: ["urn:a"],
      },
    ],
    status: [],
  };
  const [owned] = assembleObjects([base, deployment, crd].flatMap(parseManifest), [said]).csv.spec
    .customresourcedefinitions!.owned!;

  expect(owned).toMatchObject({
    displayName: "A purchase",
    resources: [
      { kind: "Pod", version: "v1", name: "" },
      { kind: "Service", version: "v1", name: "front" },
    ],
    specDescriptors: [
      { path: "items[0].name", displayName: "Name", description: "Its name.", "x-descriptors": ["urn:a"] },
      { path: "minReadySeconds", displayName: "Patience", description: "Seconds." },
    ],
  });
});

test("what the base says of an owned CRD holds, and decides the order", () => {
  const said = { kind: "Order", name: "orders.shop.example.com", version: "v1", displayName: "A purchase" };
  const [csv, ...others] = [base, deployment, crd].flatMap(parseManifest);
  const spec = { ...(csv!["spec"] as object), customresourcedefinitions: { owned: [said] } };
  const owned = assembleObjects([{ ...csv!, spec }, ...others]).csv.spec.customresourcedefinitions!.owned!;

  expect(owned[0]).toMatchObject({ displayName: "A purchase", description: "An Order." });
});

test("samples are examples, each once; what else stands beside them is not in the bundle", () => {
  const sample = "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: { name: first }\n";
  const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: password }\n";
  const objects = [base, deployment, crd, sample].flatMap(parseManifest);
  const { csv, objects: bundled } = assembleObjects(objects, [], [sample, secret].flatMap(parseManifest));

  const { "alm-examples": examples } = csv.metadata["annotations"] as Record<string, string>;
  expect(JSON.parse(examples!)).toEqual([
    { apiVersion: "shop.example.com/v1", kind: "Order", metadata: { name: "first" } },
  ]);
  expect(bundled.map(({ object }) => object.kind)).toEqual(["CustomResourceDefinition"]);
});

test("objects of a kind that OLM does not create are left out by name", () => {
  const { objects, notes } = assemble("apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: nightly }\n");

  expect(objects).toEqual([]);
  expect(notes).toEqual(["left out CronJob nightly: OLM creates no objects of its kind"]);
});

test("a deployment without a base or a Deployment is an error with a hint", () => {
  expect(() => assembleObjects(parseManifest(deployment))).toThrow(/renders no ClusterServiceVersion/u);
  expect(() => assembleObjects(parseManifest(base))).toThrow(/renders no Deployment/u);
});
