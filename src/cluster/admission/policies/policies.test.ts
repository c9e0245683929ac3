import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";
import { send } from "../../testing/send.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

async function post(path: string, body: object, kubeconfig = cluster.kubeconfig) {
  return send(kubeconfig, { method: "POST", path, body });
}

/** Creates a policy and a binding for ConfigMaps with one name. */
async function install(prefix: "validating" | "mutating", name: string, spec: object): Promise<void> {
  const resourceRules = [
    {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE"],
      resources: ["configmaps"],
      resourceNames: [name],
    },
  ];
  const made = await post(`${group}/${prefix}admissionpolicies`, {
    metadata: { name },
    spec: { matchConstraints: { resourceRules }, ...spec },
  });
  const bound = await post(`${group}/${prefix}admissionpolicybindings`, {
    metadata: { name },
    spec: { policyName: name, ...(prefix === "validating" && { validationActions: ["Deny"] }) },
  });
  expect([made, bound]).toMatchObject([{ code: 201 }, { code: 201 }]);
}

const configMap = (name: string) => ({ metadata: { name }, data: { a: "b" } });

test("a policy applies as soon as it is bound, until it or its binding is deleted", async () => {
  await install("validating", "bound", { validations: [{ expression: "false" }] });
  expect(await post(configMaps, configMap("bound"))).toMatchObject({ code: 422 });
  await send(cluster.kubeconfig, {
    method: "DELETE",
    path: `${group}/validatingadmissionpolicybindings/bound`,
  });
  expect(await post(configMaps, configMap("bound"))).toMatchObject({ code: 201 });
});

test("restoring a snapshot restores and removes policies", async () => {
  const before = cluster.snapshot();
  await install("validating", "later", { validations: [{ expression: "false" }] });
  const after = cluster.snapshot();
  cluster.restore(before);
  expect(await post(`${configMaps}?dryRun=All`, configMap("later"))).toMatchObject({ code: 201 });
  cluster.restore(after);
  expect(await post(`${configMaps}?dryRun=All`, configMap("later"))).toMatchObject({ code: 422 });
});

test("a mutation can't move an object to another namespace", async () => {
  const expression = "[JSONPatch{op: 'replace', path: '/metadata', value: {'name': 'moved'}}]";
  const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression } }];
  await install("mutating", "moving", { reinvocationPolicy: "Never", mutations });
  expect(await post(configMaps, configMap("moving"))).toMatchObject({
    code: 201,
    body: { metadata: { name: "moved", namespace: "default" } },
  });
});

test("a stored policy that no longer compiles fails according to its failure policy", async () => {
  for (const failurePolicy of ["Fail", "Ignore"]) {
    const name = `stored-${failurePolicy.toLowerCase()}`;
    await install("validating", name, { failurePolicy, validations: [{ expression: "true" }] });
    const { store } = cluster.core;
    const policies = store.collection("validatingadmissionpolicies.admissionregistration.k8s.io");
    const { object } = policies.get(name)!;
    const spec = { ...(object["spec"] as object), validations: [{ expression: "nothing" }] };
    store.put(policies, name, { ...object, spec });
  }
  expect(await post(configMaps, configMap("stored-ignore"))).toMatchObject({ code: 201 });
  const refused = await post(configMaps, configMap("stored-fail"));
  expect(refused).toMatchObject({ code: 422 });
  expect(refused.text).toContain(
    "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference",
  );
});

test("a policy can deny a user's token requests", async () => {
  await post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "tokens" },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE"],
            resources: ["serviceaccounts/token"],
          },
        ],
      },
      validations: [{ expression: "object.spec.expirationSeconds <= 600", reason: "Forbidden" }],
    },
  });
  const binding = { policyName: "tokens", validationActions: ["Deny"] };
  await post(`${group}/validatingadmissionpolicybindings`, { metadata: { name: "tokens" }, spec: binding });
  await post("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
  const token = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  expect(await post(token, { spec: { expirationSeconds: 601 } })).toMatchObject({ code: 403 });
  expect(await post(token, { spec: { expirationSeconds: 600 } })).toMatchObject({ code: 201 });
});

test("match conditions of webhooks can check the user's permissions", async () => {
  await post(`${group}/validatingwebhookconfigurations`, {
    metadata: { name: "not-for-breakers" },
    webhooks: [
      {
        name: "unreachable.example.com",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig: { url: "https://127.0.0.1:1/" },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] }],
        matchConditions: [
          {
            name: "no-breakglass",
            expression: "!authorizer.group('').resource('secrets').check('breakglass').allowed()",
          },
        ],
      },
    ],
  });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["create"] }];
  await post(`${rbac}/clusterroles`, { metadata: { name: "maker" }, rules });
  const roleRef = { kind: "ClusterRole", name: "maker", apiGroup: "rbac.authorization.k8s.io" };
  const subjects = [{ kind: "User", name: "maker", apiGroup: "rbac.authorization.k8s.io" }];
  await post(`${rbac}/clusterrolebindings`, { metadata: { name: "maker" }, subjects, roleRef });

  const secrets = "/api/v1/namespaces/default/secrets";
  expect(await post(secrets, { metadata: { name: "by-admin" } })).toMatchObject({ code: 201 });
  expect(await post(secrets, { metadata: { name: "by-maker" } }, cluster.addUser("maker"))).toMatchObject({
    code: 500,
  });
});
