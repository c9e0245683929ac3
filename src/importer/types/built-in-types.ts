// What stands in TypeScript for Go's own types and for those of Kubernetes' Go modules.

import type { GoType } from "../go/model.ts";

/** The names that Go's own types have in TypeScript. */
export const basicTypes: Readonly<Record<string, string>> = {
  bool: "boolean",
  string: "string",
  int32: "int32",
  uint32: "int32",
  rune: "int32",
  int64: "int64",
  uint64: "int64",
  ...Object.fromEntries(
    ["int", "int8", "int16", "uint", "uint8", "uint16", "byte"].map((name) => [name, "integer"]),
  ),
  float32: "float64",
  float64: "float64",
};

/** Types that TypeScript lacks, declared where a module needs them. */
export const declaredTypes: Readonly<Record<string, string>> = {
  integer: "/** +kubebuilder:validation:Type=integer */\nexport type integer = number;\n",
  bytes: "/** +kubebuilder:validation:Format=byte */\nexport type bytes = string;\n",
};

/** Types of Go modules that `@tsbuilder/runtime` has under its own names. */
const runtimeTypes: Readonly<Record<string, string>> = {
  "k8s.io/apimachinery/pkg/api/resource.Quantity": "Quantity",
  "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
  "k8s.io/apimachinery/pkg/runtime.RawExtension": "RawExtension",
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSONValue",
  "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON": "JSONValue",
};

/** Where TypeScript has a struct of Kubernetes' Go modules: a module of ours, and the name there. */
export function builtInType(goPackage: string, name: string): { module: string; name: string } | undefined {
  const own = runtimeTypes[`${goPackage}.${name}`];
  if (own !== undefined) return { module: "@tsbuilder/runtime", name: own };
  if (goPackage === metaPackage) return { module: "@tsbuilder/runtime", name };
  const group = /^k8s\.io\/api\/(.+)$/u.exec(goPackage)?.[1];
  return group === undefined ? undefined : { module: `@tsbuilder/runtime/k8s/${group}`, name };
}

/** The Go package of the types that all kinds share. */
export const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1";

/**
 * A type of Kubernetes' Go modules that is no struct, for projects whose module cache is not on this machine: where it is, the
 * declaration itself is translated, with its comment.
 */
export function kubernetesAlias(goPackage: string, name: string): GoType | undefined {
  const id = `${goPackage}.${name}`;
  if (id === "k8s.io/api/core/v1.ResourceList") {
    const quantity = {
      kind: "external",
      package: "k8s.io/apimachinery/pkg/api/resource",
      name: "Quantity",
    } as const;
    return { kind: "map", key: text, of: quantity };
  }
  return namedTexts.has(id) ? text : undefined;
}

const text: GoType = { kind: "basic", name: "string" };

const namedTexts = new Set([
  "k8s.io/apimachinery/pkg/types.UID",
  ...["ConditionStatus", "LabelSelectorOperator", "DeletionPropagation"].map(
    (name) => `${metaPackage}.${name}`,
  ),
  ...(
    "ConditionStatus DNSPolicy FinalizerName IPFamily IPFamilyPolicy MountPropagationMode NodeSelectorOperator " +
    "PersistentVolumeAccessMode PersistentVolumeMode PersistentVolumeReclaimPolicy PodPhase Protocol PullPolicy ResourceName " +
    "RestartPolicy SecretType ServiceAffinity ServiceExternalTrafficPolicy ServiceType TaintEffect TolerationOperator URIScheme"
  )
    .split(" ")
    .map((name) => `k8s.io/api/core/v1.${name}`),
]);
