import { expect, test } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { planManifests } from "../manifests.ts";

/** Returns the warnings about a controller, each with its line. */
async function warningsOf(markers: string[], code: string, files: Record<string, string> = {}) {
  const text = [
    ...markers.map((marker) => `// +kubebuilder:rbac:${marker}`),
    'import { ConfigMap, Secret as Password } from "@tsbuilder/runtime/k8s/core/v1";',
    'import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";',
    'import { SelfSubjectAccessReview as Review } from "@tsbuilder/runtime/k8s/authorization/v1";',
    'import { Shop } from "../api/v1/shop_types.ts";',
    code,
  ].join("\n");
  const { diagnostics } = await planManifests(memoryTree({ ...files, "src/shop_controller.ts": text }));
  expect(diagnostics.filter(({ severity }) => severity !== "warning")).toEqual([]);
  return diagnostics.map(({ at, message, hint }) => `${at?.line}: ${message}; ${hint}`);
}

const readMaps = "groups=core,resources=configmaps,verbs=get;list;watch";
const writeAll = 'groups="";apps,resources=configmaps;secrets;deployments,verbs=*';

test("a kind without permissions is named with the marker that it needs", async () => {
  const code =
    "manager.controllerFor(Shop).owns(ConfigMap).owns(\n  Password);\nawait client.apply(Password, x);";
  expect(await warningsOf([readMaps], code)).toEqual([
    '6: no marker allows what is done with Password here: list, watch, create, patch of "secrets"; add // +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch;create;patch',
  ]);
  expect(await warningsOf([readMaps], "manager.controllerFor(Password);")).toEqual([
    '6: no marker allows what is done with Password here: list, watch of "secrets"; add // +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch',
  ]);
  expect(await warningsOf([readMaps], "await children.set(ConfigMap, name, x);")).toEqual([
    '6: no marker allows what is done with ConfigMap here: create, patch of "configmaps"; add // +kubebuilder:rbac:groups="",resources=configmaps,verbs=create;patch',
  ]);
});

test.each([
  ["what a marker allows", [writeAll], "children.add(Deployment, name, x); client.delete(Password, key);"],
  ["what a marker allows everywhere", ["groups=*,resources=*,verbs=*"], "client.create(Password, x);"],
  ["reads, and kinds of the project", [readMaps], "client.get(Password, key); client.apply(Shop, x);"],
  ["a review of one's own permissions", [readMaps], "client.create(Review, x);"],
  ["a comment", [readMaps], "// Never call client.create(Password, x)."],
  ["a project without markers", [], "client.create(Password, x);"],
])("nothing is wrong with %s", async (_, markers, code) => {
  expect(await warningsOf(markers, code)).toEqual([]);
});

test.each([
  ["extra_role.yaml", "secrets", true],
  ["secret_viewer_role.yaml", "secrets", true],
  ["extra_role.yaml", "'*'", true],
  ["extra_role.yaml", "appsecrets, secrets-store", false],
  ["leader_election_role.yaml", "secrets", false],
])("a role in %s with %s may allow it: %s", async (file, resource, isAllowed) => {
  const role = `kind: Role\nrules:\n- resources: [${resource}]\n`;
  const warnings = await warningsOf([readMaps], "client.create(Password, x);", {
    [`config/rbac/${file}`]: role,
  });
  expect(warnings).toHaveLength(isAllowed ? 0 : 1);
});

test("a kind in place of a resource is named", async () => {
  const markers = [
    'groups="",resources=Secret;configmaps/status,verbs=*',
    "groups=apps,resources=deployment,verbs=get",
    "groups=example.com,resources=Shop;shop,verbs=get",
  ];
  expect(await warningsOf(markers, "")).toEqual([
    '1: there is no resource "Secret", so that the rule allows nothing; name the resource: secrets',
    '2: there is no resource "deployment", so that the rule allows nothing; name the resource: deployments',
    '3: there is no resource "Shop", so that the rule allows nothing; name the resource: its plural, in lower case',
  ]);
});
