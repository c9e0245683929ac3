import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltinResource, BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { builtinResources, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { send } from "../../testing/send.ts";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

/** A status is not validated, and templates of pods and claims have the rules of pods and claims. */
const left = new Set(["status", "template", "jobTemplate", "volumeClaimTemplate"]);

/** The paths of all label selectors in a type: `spec.ingress[].from[].podSelector`. */
function selectorsIn(schema: BuiltinSchema, path = "", above: readonly BuiltinSchema[] = []): string[] {
  if (above.includes(schema)) return [];
  if (schema.typeName?.endsWith("LabelSelector")) return [path];
  const below = [...above, schema];
  if (schema.items) return selectorsIn(schema.items, `${path}[]`, below);
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    left.has(name) ? [] : selectorsIn(child, path === "" ? name : `${path}.${name}`, below),
  );
}

/** An object with only the fields that lead to a value. */
function objectWith(path: string, value: unknown): object {
  return path
    .split(".")
    .reduceRight<unknown>(
      (inner, name) => (name.endsWith("[]") ? { [name.slice(0, -2)]: [inner] } : { [name]: inner }),
      value,
    ) as object;
}

/** A selector for a metric is validated by the metrics API, and one of trust bundles is dropped: their feature is off. */
const unchecked = (path: string): boolean => /^spec\.metrics\[\]|\.clusterTrustBundle\./.test(path);

const places = (
  await Promise.all(
    builtinResources()
      .filter(({ verbs, isPreferred, listKind }) => listKind && isPreferred && verbs.includes("create"))
      .map(async (resource) => {
        const [module = "", name = ""] = resource.type.split(".");
        const schema = (await loadSchemas(module))?.get(name);
        const paths = schema ? selectorsIn(schema) : [];
        return paths.filter((path) => !unchecked(path)).map((path) => ({ resource, path }));
      }),
  )
).flat();

async function refusal({ group, apiVersion, scope, plural }: BuiltinResource, body: object): Promise<object> {
  const root = group === "" ? "/api" : "/apis";
  const namespace = scope === "Namespaced" ? "/namespaces/default" : "";
  const path = `${root}/${apiVersion}${namespace}/${plural}?dryRun=All`;
  const answer = await send(cluster.kubeconfig, { method: "POST", path, body });
  return answer.body as object;
}

describe("an invalid label selector is rejected at its path", () => {
  test("in these kinds", () => {
    expect([...new Set(places.map(({ resource }) => resource.kind))].toSorted()).toEqual([
      "CSIStorageCapacity",
      "ClusterRole",
      "DaemonSet",
      "Deployment",
      "Job",
      "MutatingAdmissionPolicy",
      "MutatingAdmissionPolicyBinding",
      "MutatingWebhookConfiguration",
      "NetworkPolicy",
      "PersistentVolumeClaim",
      "Pod",
      "PodDisruptionBudget",
      "ReplicaSet",
      "StatefulSet",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ValidatingWebhookConfiguration",
    ]);
  });

  test.each(places)("$resource.kind $path", async ({ resource, path }) => {
    const bad = { matchExpressions: [{ key: "a", operator: "In" }] };
    const field = `${path.replaceAll("[]", "[0]")}.matchExpressions[0].values`;
    const body = { metadata: { name: "a" }, ...objectWith(path, bad) };
    expect(await refusal(resource, body)).toMatchObject({
      code: 422,
      details: { causes: expect.arrayContaining([expect.objectContaining({ field })]) as object },
    });
  });
});

test("a rejected aggregation rule is not stored, and roles are aggregated as before", async () => {
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const create = async (body: object) =>
    (await send(cluster.kubeconfig, { method: "POST", path, body })).body as { message: string };
  const bad = { matchExpressions: [{ key: "a", operator: "In" }] };
  const refused = await create({
    metadata: { name: "bad" },
    aggregationRule: { clusterRoleSelectors: [bad] },
  });
  expect(refused.message).toBe(
    `ClusterRole.rbac.authorization.k8s.io "bad" is invalid: [aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', aggregationRule.clusterRoleSelectors[0]: Invalid value: "null": invalid label selector.]`,
  );
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];
  await create({
    metadata: { name: "sum" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "of-it" } }] },
  });
  await create({ metadata: { name: "part", labels: { part: "of-it" } }, rules });
  const names = cluster.core.store
    .collection("clusterroles.rbac.authorization.k8s.io")
    .list()
    .map(({ key }) => key);
  expect(names).not.toContain("bad");
  const sum = await send(cluster.kubeconfig, { method: "GET", path: `${path}/sum` });
  expect(sum.body).toMatchObject({ rules });
});
