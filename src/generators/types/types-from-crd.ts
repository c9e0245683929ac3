import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { commentLines } from "./comment-lines.ts";
import { markerLines, quoteMarker } from "./marker-lines.ts";
import { TypeWriter } from "./type-writer.ts";

type Texts = Readonly<Record<string, string>>;

/** A CRD as it is read from a file. */
export interface CrdDocument {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly labels?: Texts; readonly annotations?: Texts };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: CrdNames;
    readonly versions: readonly CrdDocumentVersion[];
  };
}

interface CrdNames {
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface CrdDocumentVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JSONSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: Readonly<Record<string, string>> };
  readonly additionalPrinterColumns?: readonly Readonly<Record<string, string | number>>[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** One file of types. */
export interface TypesFile {
  /** `<group>/<version>/<kind>_types.ts` */
  readonly path: string;
  readonly content: string;
  /** What the schema says and no type can. */
  readonly lost: readonly string[];
}

/**
 * Writes TypeScript types from a CRD, the way back from `manifests`: generated again, the types give the CRD they
 * came from. What only JSON Schema can say (`allOf`, `oneOf`, `not`) is listed as lost.
 */
export function typesFromCrd(crd: CrdDocument): TypesFile[] {
  const { group, names } = crd.spec;
  return crd.spec.versions.flatMap((version) => [
    {
      path: `${group}/${version.name}/groupversion_info.ts`,
      content: `import type { GroupVersion } from "@tsbuilder/runtime";\n\nexport const groupVersion: GroupVersion = { group: "${group}", version: "${version.name}" };\n`,
      lost: [],
    },
    kindFile(crd, version, `${group}/${version.name}/${names.kind.toLowerCase()}_types.ts`),
  ]);
}

function kindFile(crd: CrdDocument, version: CrdDocumentVersion, path: string): TypesFile {
  const { names, scope } = crd.spec;
  const { kind, plural } = names;
  const root = version.schema?.openAPIV3Schema ?? {};
  const writer = new TypeWriter();
  const part = (name: "spec" | "status"): string | undefined => {
    const schema = root.properties?.[name];
    if (!schema) return undefined;
    return writer.interface(schema, kind + (name === "spec" ? "Spec" : "Status"), `.${name}`);
  };
  const [spec, status] = [part("spec"), part("status")];
  const markers = [...kindMarkers(crd, version), ...markerLines(root, { format: false, pattern: false })];
  const parameters = status ? `<${spec ?? "unknown"}, ${status}>` : spec ? `<${spec}>` : "";
  const isOptional = spec !== undefined && root.required?.includes("spec") !== true;
  // An interface can't make a field of its base optional: it has to leave it out first.
  const base = isOptional ? `Omit<CustomResource${parameters}, "spec">` : `CustomResource${parameters}`;
  const body = isOptional ? `{\n  spec?: ${spec};\n}` : "{}";
  const runtime = [
    "type CustomResource",
    "defineKind",
    ...[...writer.runtimeNames].sort().map((name) => `type ${name}`),
  ];
  const options = scope === "Cluster" ? ', scope: "Cluster"' : "";
  const content = `import { ${runtime.join(", ")} } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

${writer.text}
${commentLines(root.description, markers, "")}export interface ${kind} extends ${base} ${body}
export const ${kind} = defineKind<${kind}>(groupVersion, { kind: "${kind}", plural: "${plural}"${options} });
`;
  return { path, content, lost: writer.lost };
}

function kindMarkers({ spec, metadata }: CrdDocument, version: CrdDocumentVersion): string[] {
  const { names, versions } = spec;
  const list = (values: readonly string[] = []): string => values.map(quoteMarker).join(";");
  const resource = [
    ...(names.singular && names.singular !== names.kind.toLowerCase() ? [`singular=${names.singular}`] : []),
    ...(names.shortNames ? [`shortName=${list(names.shortNames)}`] : []),
    ...(names.categories ? [`categories=${list(names.categories)}`] : []),
  ];
  const pairs = (name: "labels" | "annotations"): string[] => {
    const entries = Object.entries(metadata?.[name] ?? {}).filter(([key]) => !key.endsWith("/version"));
    const texts = entries.map(([key, value]) => JSON.stringify(`${key}=${value}`));
    return texts.length > 0 ? [`${name}={${texts.join(",")}}`] : [];
  };
  const texts = [...pairs("annotations"), ...pairs("labels")];
  const scale = version.subresources?.scale;
  const selector = scale?.["labelSelectorPath"];
  return [
    ...(resource.length > 0 ? [`+kubebuilder:resource:${resource.join(",")}`] : []),
    ...(texts.length > 0 ? [`+kubebuilder:metadata:${texts.join(",")}`] : []),
    ...(version.subresources?.status ? ["+kubebuilder:subresource:status"] : []),
    ...(scale
      ? [
          `+kubebuilder:subresource:scale:specpath=${scale["specReplicasPath"]},statuspath=${scale["statusReplicasPath"]}${selector ? `,selectorpath=${selector}` : ""}`,
        ]
      : []),
    ...(version.storage && versions.length > 1 ? ["+kubebuilder:storageversion"] : []),
    ...(version.served ? [] : ["+kubebuilder:unservedversion"]),
    ...(version.deprecated ? [deprecation(version.deprecationWarning)] : []),
    ...(version.additionalPrinterColumns ?? []).map(column),
    ...(version.selectableFields ?? []).map(
      ({ jsonPath }) => `+kubebuilder:selectablefield:JSONPath=${quoteMarker(jsonPath)}`,
    ),
  ];
}

function deprecation(warning: string | undefined): string {
  return `+kubebuilder:deprecatedversion${warning === undefined ? "" : `:warning=${JSON.stringify(warning)}`}`;
}

function column({ jsonPath, ...rest }: Readonly<Record<string, string | number>>): string {
  const args = Object.entries({ ...rest, JSONPath: jsonPath }).map(
    ([name, value]) => `${name}=${typeof value === "number" ? value : JSON.stringify(value)}`,
  );
  return `+kubebuilder:printcolumn:${args.join(",")}`;
}
