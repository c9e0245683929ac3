import { post, remove, type Step, type Story, story } from "../story.ts";
import { type Fields, gone, inForce, policy, policyFor, tryConfigMap } from "./policy-cases.ts";

const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const limited = {
  paramKind,
  validations: [
    {
      expression: "params == null || int(object.data.size) <= int(params.data.most)",
      messageExpression:
        "'at most ' + (params == null ? 'any' : params.data.most + ' says ' + params.metadata.name)",
    },
  ],
};
const named = (name: string, more: Fields = {}): Fields => ({
  paramRef: { name, parameterNotFoundAction: "Deny", ...more },
});

const bindings: Readonly<Record<string, Fields>> = {
  unreferenced: {},
  two: named("most-two"),
  three: named("most-three"),
  elsewhere: named("most-two", { namespace: "{ns}" }),
  absent: named("absent"),
  "absent-allowed": named("absent", { parameterNotFoundAction: "Allow" }),
  selected: { paramRef: { selector: { matchLabels: { kind: "limit" } }, parameterNotFoundAction: "Deny" } },
  "selected-none": {
    paramRef: { selector: { matchLabels: { kind: "none" } }, parameterNotFoundAction: "Deny" },
  },
};
const names = Object.keys(bindings);

function limit(name: string, most: string): Step {
  return post("/api/v1/namespaces/{ns}/configmaps", {
    metadata: { name, labels: { kind: "limit" } },
    data: { most },
  });
}

const crd = {
  metadata: { name: "limits.{group}" },
  spec: {
    group: "{group}",
    scope: "Cluster",
    names: { plural: "limits", singular: "limit", kind: "Limit", listKind: "LimitList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { most: { type: "integer" }, unit: { type: "string", default: "pieces" } },
          },
        },
      },
    ],
  },
};

const byLimit = {
  paramKind: { apiVersion: "{group}/v1", kind: "Limit" },
  validations: [
    {
      expression: "int(object.data.size) <= params.most",
      messageExpression: "'at most ' + string(params.most) + ' ' + params.unit",
    },
  ],
};

const clusterWide = {
  apiGroups: ["rbac.authorization.k8s.io"],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["clusterroles"],
  resourceNames: ["{ns}-wide"],
};

/**
 * Once no policy uses a built-in kind as parameter kind any more, a real server never finds parameters of it again:
 * its informer is stopped for good. So only one story has ConfigMaps as parameters, and it is recorded on a fresh
 * server.
 */
export const policyParams: readonly Story[] = [
  story("parameters of policies", [
    limit("most-two", "2"),
    limit("most-three", "3"),
    ...names.flatMap((name) => policyFor(name, limited, bindings[name])),
    ...policyFor("ignored", { ...limited, failurePolicy: "Ignore" }, named("absent")),
    ...policyFor(
      "unknown-kind",
      { ...limited, paramKind: { apiVersion: "nowhere.example.com/v1", kind: "Thing" } },
      named("a"),
    ),
    ...policyFor("unused", { validations: [{ expression: "false" }] }, named("absent")),
    ...policy("wide", { ...limited, matchConstraints: { resourceRules: [clusterWide] } }, named("most-two")),
    ...inForce(),
    { ...tryConfigMap("two"), until: "at most 2" },
    ...[...names, "ignored", "unknown-kind", "unused"].map((name) => tryConfigMap(name)),
    post("/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All", {
      metadata: { name: "{ns}-wide" },
      rules: [],
    }),
    ...gone(...names, "ignored", "unknown-kind", "unused", "wide"),
  ]),
  story(
    "custom resources as parameters",
    [
      post("/apis/{group}/v1/limits", {
        apiVersion: "{group}/v1",
        kind: "Limit",
        metadata: { name: "two" },
        most: 2,
      }),
      ...policyFor("two", byLimit, named("two")),
      ...policyFor("misplaced", byLimit, named("two", { namespace: "{ns}" })),
      ...inForce(),
      { ...tryConfigMap("two"), until: "at most 2" },
      tryConfigMap("misplaced"),
      ...gone("two", "misplaced"),
      remove("/apis/{group}/v1/limits/two"),
    ],
    [crd],
  ),
];
