import type { GroupVersion } from "../meta/index.ts";

/** Returns the module of a group and version, as in imports and type names: `core/v1`, `rbac/v1`. */
export function moduleOf({ group, version }: GroupVersion): string {
  return `${group.split(".", 1)[0] || "core"}/${version}`;
}

const meta = "io.k8s.apimachinery.pkg.apis.meta";

/** Groups whose types are not below `io.k8s.api`. */
const groupPrefixes: Readonly<Record<string, string>> = {
  apiextensions: "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  apiregistration: "io.k8s.kube-aggregator.pkg.apis.apiregistration",
  meta: meta,
};

/** The definitions of types without fields. */
const scalars: Readonly<Record<string, string>> = {
  FieldsV1: `${meta}.v1.FieldsV1`,
  IntOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  MicroTime: `${meta}.v1.MicroTime`,
  Quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  RawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  Time: `${meta}.v1.Time`,
};

/** Returns the name of a type in OpenAPI documents: `io.k8s.api.apps.v1.Deployment` for `apps/v1.Deployment`. */
export function definitionName(typeName: string): string {
  const scalar = scalars[typeName];
  if (scalar !== undefined) return scalar;
  // JSON, JSONSchemaProps and the like are types of apiextensions, and have no group in the tables.
  if (typeName.startsWith("JSON")) return `${groupPrefixes["apiextensions"]}.v1.${typeName}`;
  const [group = "", rest = ""] = typeName.split("/", 2);
  return `${groupPrefixes[group] ?? `io.k8s.api.${group}`}.${rest}`;
}
