import {
  authorizerType,
  type CelType,
  type Env,
  kubernetesEnv,
  listType,
  mapType,
  mutations,
  mutationStructs,
  objectType,
  resourceCheckType,
  types,
} from "@tsbuilder/apimachinery/cel";

/** The variables of an expression that are not always in scope. */
export interface ExpressionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** `Object{…}` and `JSONPatch{…}`. */
  readonly mutations?: boolean;
  /** The type of `variables`, if there are any. */
  readonly variables?: CelType;
}

/** The variables and functions of expressions in webhook configurations and admission policies. */
export function expressionEnv({ params, authorizer, mutations, variables }: ExpressionScope): Env {
  const names: Array<readonly [string, CelType]> = [
    ["object", types.dyn],
    ["oldObject", types.dyn],
    ["namespaceObject", namespaceType],
    ["request", requestType],
  ];
  if (params) names.push(["params", types.dyn]);
  if (authorizer) {
    names.push(["authorizer", authorizerType], ["authorizer.requestResource", resourceCheckType]);
  }
  if (variables) names.push(["variables", variables]);
  return (mutations ? mutationEnv() : kubernetesEnv()).withVariables(names);
}

let withMutations: Env | undefined;

function mutationEnv(): Env {
  withMutations ??= kubernetesEnv().extend({ libraries: [mutations], structs: mutationStructs });
  return withMutations;
}

const text = types.string;
const texts = listType(text);
const textMap = mapType(text, text);

const kindType = structType("GroupVersionKind", { group: text, version: text, kind: text });
const resourceType = structType("GroupVersionResource", { group: text, version: text, resource: text });

const requestType = structType("AdmissionRequest", {
  kind: kindType,
  resource: resourceType,
  subResource: text,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: structType("UserInfo", {
    username: text,
    uid: text,
    groups: texts,
    extra: mapType(text, texts),
  }),
  dryRun: types.bool,
  options: types.dyn,
});

/** As on the real server: no owner references and managed fields, and `UID` instead of `uid`. */
const namespaceType = structType("Namespace", {
  metadata: structType("NamespaceMetadata", {
    name: text,
    generateName: text,
    namespace: text,
    labels: textMap,
    annotations: textMap,
    UID: text,
    creationTimestamp: types.timestamp,
    deletionGracePeriodSeconds: types.int,
    deletionTimestamp: types.timestamp,
    generation: types.int,
    resourceVersion: text,
    finalizers: texts,
  }),
  spec: structType("NamespaceSpec", { finalizers: texts }),
  status: structType("NamespaceStatus", {
    conditions: listType(
      structType("NamespaceCondition", {
        status: text,
        type: text,
        lastTransitionTime: types.timestamp,
        message: text,
        reason: text,
      }),
    ),
    phase: text,
  }),
});

function structType(name: string, fields: Record<string, CelType>): CelType {
  return objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}
