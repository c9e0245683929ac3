import { post, remove, type Step } from "../story.ts";

export type Fields = Readonly<Record<string, unknown>>;

const group = "/apis/admissionregistration.k8s.io/v1";
export const validating = `${group}/validatingadmissionpolicies`;
export const validatingBindings = `${group}/validatingadmissionpolicybindings`;

/** Matches only the story's own namespace. */
export const ownNamespace: Fields = { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } };

export const configMaps: Fields = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["configmaps"],
};

/** A policy that matches one ConfigMap of the story, and a binding that denies. */
export function policyFor(name: string, spec: Fields, binding: Fields = {}): Step[] {
  const matchConstraints = {
    namespaceSelector: ownNamespace,
    resourceRules: [{ ...configMaps, resourceNames: [name] }],
  };
  return policy(name, { matchConstraints, ...spec }, binding);
}

/** A policy with any match constraints, and a binding that denies. */
export function policy(name: string, spec: Fields, binding: Fields = {}): Step[] {
  return [
    post(validating, { metadata: { name: `{ns}-${name}` }, spec }),
    post(validatingBindings, {
      metadata: { name: `{ns}-${name}` },
      spec: { policyName: `{ns}-${name}`, validationActions: ["Deny"], ...binding },
    }),
  ];
}

/** Waits until all earlier policies are active: the server loads them in order. */
export function inForce(): Step[] {
  return [
    ...policyFor("probe", { validations: [{ expression: "false" }] }),
    { ...tryConfigMap("probe"), until: 422 },
  ];
}

/** Deletes policies, so that they don't apply to other stories. */
export function gone(...names: readonly string[]): Step[] {
  return ["probe", ...names].flatMap((name) => [
    remove(`${validatingBindings}/{ns}-${name}`),
    remove(`${validating}/{ns}-${name}`),
  ]);
}

/** A ConfigMap that is only created with dry run. */
export function tryConfigMap(name: string, fields: Fields = {}): Step {
  return post("/api/v1/namespaces/{ns}/configmaps?dryRun=All", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { size: "3" },
    ...fields,
  });
}
