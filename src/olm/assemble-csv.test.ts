import { expect, test } from "vitest";
import type { KindDescription } from "../generators/describe-kinds.ts";
import { type ManifestObject, parseManifest } from "../ship/manifest.ts";
import { assembleCsv, type AssembledBundle } from "./assemble-csv.ts";
import type { InstalledDeployment } from "./csv.ts";

// One file, as all cases assemble the same small project, whose manifests stand here.
const base = `
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: shop.v0.0.0
  annotations: { capabilities: Basic Install }
spec:
  displayName: Shop
  installModes:
  - { type: OwnNamespace, supported: false }
  - { type: AllNamespaces, supported: true }
`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop-controller-manager, namespace: shop-system, labels: { app: shop } }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      serviceAccountName: shop-controller-manager
      containers:
      - name: manager
        image: shop:v1
        args: [--leader-elect]
`;

const account = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: shop-controller-manager, namespace: shop-system }
`;

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: orders.shop.example.com, annotations: { cert-manager.io/inject-ca-from: shop-system/cert } }
spec:
  group: shop.example.com
  names: { kind: Order, plural: orders }
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        description: "An Order.\\nAnd more."
        properties:
          spec: { properties: { minReadySeconds: { type: integer, description: Seconds. } } }
          status: { properties: { clusterIPs: { type: array } } }
  - { name: v1alpha1, served: false }
`;

function assemble(...manifests: string[]): AssembledBundle {
  return assembleObjects([base, deployment, ...manifests].flatMap(parseManifest));
}

function assembleObjects(
  objects: readonly ManifestObject[],
  kinds: readonly KindDescription[] = [],
  samples: readonly ManifestObject[] = [],
): AssembledBundle {
  return assembleCsv({
    objects,
    packageName: "shop",
    version: "1.2.0",
    builder: "tsbuilder-v1",
    projectLayout: "typescript.tsbuilder.dev/v1",
    extraServiceAccounts: [],
    kinds,
    samples,
  });
}

const role = (kind: string, name: string, resource: string): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}${kind === "Role" ? ", namespace: shop-system" : ""} }
rules: [{ apiGroups: [""], resources: [${resource}], verbs: [get] }]
`;

const bind = (kind: string, name: string, roleKind: string, ...accounts: string[]): string => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: ${name}-binding${kind === "RoleBinding" ? ", namespace: shop-system" : ""} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${roleKind}, name: ${name} }
subjects:
${accounts.map((each) => `- { kind: ServiceAccount, name: ${each}, namespace: shop-system }`).join("\n")}
`;

function installed({ csv }: AssembledBundle): InstalledDeployment {
  return csv.spec.install!.spec.deployments[0]!;
}

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

test("roles become permissions where they are bound, each rule once; those of others stay manifests", () => {
  const { csv, objects, notes } = assemble(
    account,
    role("Role", "own", "pods"),
    bind("RoleBinding", "own", "Role", "shop-controller-manager"),
    role("ClusterRole", "everywhere", "nodes"),
    bind("ClusterRoleBinding", "everywhere", "ClusterRole", "shop-controller-manager"),
    role("ClusterRole", "here", "pods"),
    bind("RoleBinding", "here", "ClusterRole", "shop-controller-manager"),
    role("ClusterRole", "viewer", "orders"),
  );
  const { permissions, clusterPermissions } = csv.spec.install!.spec;
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

  expect(permissions).toEqual([{ serviceAccountName: "shop-controller-manager", rules: [rule("pods")] }]);
  expect(clusterPermissions).toEqual([
    { serviceAccountName: "shop-controller-manager", rules: [rule("nodes")] },
  ]);
  expect(objects.map(({ fileName }) => fileName)).toEqual([
    "viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml",
  ]);
  expect(notes).toEqual([]);
});

test("a role that is bound to others, too, stays with them, and the namespace in the binding is named", () => {
  const { csv, objects, notes } = assemble(
    role("Role", "shared", "pods"),
    bind("RoleBinding", "shared", "Role", "shop-controller-manager", "helper"),
  );

  expect(csv.spec.install!.spec.permissions).toHaveLength(1);
  expect(objects.map(({ object }) => [object.kind, object.metadata.namespace])).toEqual([
    ["Role", undefined],
    ["RoleBinding", undefined],
  ]);
  expect(objects[1]!.object["subjects"]).toEqual([
    { kind: "ServiceAccount", name: "helper", namespace: "shop-system" },
  ]);
  expect(notes[0]).toMatch(/^RoleBinding shared-binding is for service accounts in shop-system/u);
});

test("a ServiceAccount without permissions is one with no rules, which OLM makes; others stay manifests", () => {
  const { csv, objects } = assemble(account, account.replace("shop-controller-manager", "helper"));

  expect(csv.spec.install!.spec.permissions).toEqual([
    { serviceAccountName: "shop-controller-manager", rules: [] },
  ]);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(["helper"]);
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

test("extra service accounts get their permissions from OLM, too", () => {
  const objects = [
    base,
    deployment,
    role("Role", "helper", "pods"),
    bind("RoleBinding", "helper", "Role", "helper"),
  ].flatMap(parseManifest);
  const request = {
    objects,
    samples: [],
    kinds: [],
    packageName: "shop",
    version: "1.2.0",
    builder: "",
    projectLayout: "",
  };
  const permissions = (extraServiceAccounts: readonly string[]): unknown =>
    assembleCsv({ ...request, extraServiceAccounts }).csv.spec.install!.spec.permissions?.map(
      ({ serviceAccountName }) => serviceAccountName,
    );

  expect(permissions([])).toBeUndefined();
  expect(permissions(["helper"])).toEqual(["helper"]);
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
