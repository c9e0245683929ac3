import { expect, test } from "vitest";
import {
  builtinResources,
  definitionName,
  findKind,
  findResource,
  loadFieldNumbers,
  loadSchemas,
  moduleOf,
} from "./index.ts";
import type { BuiltinSchema } from "./index.ts";

const load = async (type: string): Promise<BuiltinSchema> => {
  const [module = "", name = ""] = type.split(".");
  return (await loadSchemas(module))!.get(name)!;
};

test("builtinResources() lists the core group first, and every group that is served by default", () => {
  const groups = new Set(builtinResources().map(({ apiVersion }) => apiVersion));
  expect([...groups].slice(0, 3)).toEqual(["v1", "apiregistration.k8s.io/v1", "apps/v1"]);
  expect(groups.size).toBe(22);
  expect(Object.isFrozen(builtinResources()[0]!.verbs)).toBe(true);
});

test("findResource() returns the discovery entry of deployments", () => {
  expect(findResource({ group: "apps", version: "v1" }, "deployments")).toMatchObject({
    apiVersion: "apps/v1",
    kind: "Deployment",
    listKind: "DeploymentList",
    singular: "deployment",
    scope: "Namespaced",
    shortNames: ["deploy"],
    categories: ["all"],
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    subresources: [
      {
        name: "scale",
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"],
      },
      { name: "status", group: "apps", version: "v1", kind: "Deployment" },
    ],
    type: "apps/v1.Deployment",
    isPreferred: true,
    storage: { group: "apps", version: "v1" },
    columns: [
      { name: "Name", type: "string", format: "name", priority: 0 },
      { name: "Ready", type: "string", format: "", priority: 0 },
      { name: "Up-to-date" },
      { name: "Available" },
      { name: "Age" },
      { name: "Containers", priority: 1 },
      { name: "Images", priority: 1 },
      { name: "Selector", priority: 1 },
    ],
    rules: {
      hasGeneration: true,
      allowsUnconditionalUpdate: true,
      allowsCreateOnUpdate: false,
      defaultPropagation: "Background",
    },
  });
});

test("findKind() finds a resource whose singular differs from its kind, and returns undefined for kinds of subresources", () => {
  expect(findKind({ group: "", version: "v1" }, "Endpoints")?.singular).toBe("endpoints");
  expect(findKind({ group: "autoscaling", version: "v1" }, "Scale")).toBeUndefined();
});

test.each([
  ["events.k8s.io", "v1", "events", { group: "", version: "v1" }],
  ["autoscaling", "v1", "horizontalpodautoscalers", { group: "autoscaling", version: "v2" }],
])("%s/%s %s are stored under another group or version", (group, version, plural, storage) => {
  expect(findResource({ group, version }, plural)!.storage).toEqual(storage);
});

test("only the newest version of a group is preferred", () => {
  const autoscalers = builtinResources().filter(({ plural }) => plural === "horizontalpodautoscalers");
  expect(autoscalers.map(({ apiVersion, isPreferred }) => [apiVersion, isPreferred])).toEqual([
    ["autoscaling/v2", true],
    ["autoscaling/v1", false],
  ]);
});

test("loadSchemas() resolves references across modules and names the types", async () => {
  const deployment = await load("apps/v1.Deployment");
  const template = deployment.properties!["spec"]!.properties!["template"]!;
  expect(template.typeName).toBe("core/v1.PodTemplateSpec");
  const containers = template.properties!["spec"]!.properties!["containers"]!;
  expect(containers).toMatchObject({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "x-kubernetes-patch-strategy": "merge",
    "x-kubernetes-patch-merge-key": "name",
  });
  expect(containers.items!.typeName).toBe("core/v1.Container");
  expect((await load("core/v1.Container")).properties).toBe(containers.items!.properties);
});

test("schemas have formats, required fields, defaults, enums and unions", async () => {
  const port = (await load("core/v1.ServicePort")).properties!;
  expect(port["port"]).toEqual({ type: "integer", format: "int32" });
  expect(port["targetPort"]).toEqual({ "x-kubernetes-int-or-string": true, typeName: "IntOrString" });
  expect(port["protocol"]).toEqual({ type: "string", default: "TCP", enum: ["SCTP", "TCP", "UDP"] });
  expect((await load("apps/v1.DeploymentSpec")).required).toEqual(["selector", "template"]);
  expect((await load("apps/v1.Deployment")).required).toBeUndefined();
  expect((await load("core/v1.Secret")).properties!["data"]).toEqual({
    type: "object",
    additionalProperties: { type: "string", format: "byte" },
  });
});

test("lists are atomic unless they are sets or maps, and the items of lists of objects have no list type", async () => {
  const meta = (await load("meta/v1.ObjectMeta")).properties!;
  expect(meta["finalizers"]).toMatchObject({
    "x-kubernetes-list-type": "set",
    "x-kubernetes-patch-strategy": "merge",
  });
  expect(meta["ownerReferences"]).toMatchObject({
    "x-kubernetes-list-map-keys": ["uid"],
    "x-kubernetes-patch-merge-key": "uid",
  });
  const { properties } = await load("core/v1.Container");
  expect(properties!["args"]!["x-kubernetes-list-type"]).toBe("atomic");
  expect((await load("core/v1.PodList")).properties!["items"]).not.toHaveProperty("x-kubernetes-list-type");
});

test("a type or a field may be atomic", async () => {
  expect((await load("core/v1.SecretKeySelector"))["x-kubernetes-map-type"]).toBe("atomic");
  const service = (await load("core/v1.ServiceSpec")).properties!;
  expect(service["selector"]).toMatchObject({ "x-kubernetes-map-type": "atomic" });
  const strategy = (await load("apps/v1.DeploymentSpec")).properties!["strategy"]!;
  expect(strategy["x-kubernetes-patch-strategy"]).toBe("retainKeys");
  expect(strategy.typeName).toBe("apps/v1.DeploymentStrategy");
});

test("the schema of a recursive type is cyclic", async () => {
  const schema = await load("apiextensions/v1.JSONSchemaProps");
  expect(schema.properties!["not"]!.properties).toBe(schema.properties);
  expect(schema.properties!["properties"]!.additionalProperties).toBe(schema);
});

test("descriptions are loaded on request, and a field's own overrides its type's", async () => {
  const bare = await load("apps/v1.DeploymentSpec");
  expect(bare).not.toHaveProperty("description");
  const described = (await loadSchemas("apps/v1", { descriptions: true }))!.get("DeploymentSpec")!;
  expect(described.description).toMatch(/^DeploymentSpec /u);
  const template = described.properties!["template"]!;
  const type = (await loadSchemas("core/v1", { descriptions: true }))!.get("PodTemplateSpec")!;
  expect(template.description).not.toBe(type.description);
  expect(template.properties).toBe(type.properties);
});

test("every field of every type can be read", async () => {
  const { schemaModules } = await import("./index.ts");
  let count = 0;
  const visit = (schema: BuiltinSchema | undefined): void => {
    if (!schema) return;
    count++;
    visit(schema.items);
    visit(schema.additionalProperties);
  };
  for (const module of schemaModules) {
    const table = (await loadSchemas(module))!;
    for (const name of table.typeNames) {
      for (const field of Object.values(table.get(name)!.properties ?? {})) visit(field);
    }
  }
  expect(count).toBeGreaterThan(2500);
});

test("loadFieldNumbers() returns the field numbers of protobuf messages", async () => {
  const numbers = (await loadFieldNumbers("apps/v1"))!;
  expect(numbers("apps/v1.DeploymentSpec").get("replicas")).toEqual({ path: [1], zeroIsAbsent: false });
  expect(numbers("core/v1.Volume").get("emptyDir")).toEqual({ path: [2, 2], zeroIsAbsent: false });
  expect(numbers("core/v1.ServicePort").get("name")).toEqual({ path: [1], zeroIsAbsent: true });
  expect(await loadFieldNumbers("apps.example.com/v1")).toBeUndefined();
});

test("loadSchemas() returns undefined for an unknown module", async () => {
  expect(await loadSchemas("apps.example.com/v1")).toBeUndefined();
  expect((await loadSchemas("apps/v1"))!.get("MySQL")).toBeUndefined();
});

test.each([
  ["", "v1", "core/v1"],
  ["apps", "v1", "apps/v1"],
  ["rbac.authorization.k8s.io", "v1", "rbac/v1"],
  ["flowcontrol.apiserver.k8s.io", "v1", "flowcontrol/v1"],
])("moduleOf(%j, %s) is %s", (group, version, module) => {
  expect(moduleOf({ group, version })).toBe(module);
});

test.each([
  ["apps/v1.Deployment", "io.k8s.api.apps.v1.Deployment"],
  ["meta/v1.ObjectMeta", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"],
  [
    "apiextensions/v1.JSONSchemaProps",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
  ],
  ["apiregistration/v1.APIService", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"],
  ["Quantity", "io.k8s.apimachinery.pkg.api.resource.Quantity"],
  ["JSON", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON"],
])("definitionName(%s) is %s", (type, name) => {
  expect(definitionName(type)).toBe(name);
});
