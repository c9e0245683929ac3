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
export const helpers: Readonly<Record<string, string>> = {
  integer: "/** +kubebuilder:validation:Type=integer */\nexport type integer = number;\n",
  bytes: "/** +kubebuilder:validation:Format=byte */\nexport type bytes = string;\n",
};

/** Types of Kubernetes' Go modules that `@tsbuilder/runtime` has under its own names. */
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
