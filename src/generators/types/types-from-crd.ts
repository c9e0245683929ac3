import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { markerString, stringLiteral } from "../../shared/source-text.ts";
import { commentLines } from "./comment-lines.ts";
import { markerLines, quoteMarker } from "./marker-lines.ts";
import type { ThirdPartyCrd } from "./read-crds.ts";
import { TypeWriter } from "./type-writer.ts";

/** A file of types. */
export interface TypesFile {
  /** `<group>/<version>/<kind>_types.ts` */
  readonly path: string;
  readonly content: string;
  /** What TypeScript cannot express. */
  readonly lost: readonly string[];
}

/**
 * Writes TypeScript types from a CRD, the reverse of `manifests`: the types generate the same CRD again. What only JSON
 * Schema can express (`allOf`, `oneOf`, `not`) is listed as lost.
 */
export function typesFromCrd(crd: ThirdPartyCrd): TypesFile[] {
  const { group, names } = crd.spec;
  return crd.spec.versions.flatMap((version) => [
    {
      path: `${group}/${version.name}/groupversion_info.ts`,
      content: `import type { GroupVersion } from "@tsbuilder/runtime";\n\nexport const groupVersion: GroupVersion = { group: ${stringLiteral(group)}, version: ${stringLiteral(version.name)} };\n`,
      lost: [],
    },
    kindFile(crd, version, `${group}/${version.name}/${names.kind.toLowerCase()}_types.ts`),
  ]);
}

function kindFile(crd: ThirdPartyCrd, version: CRDVersion, path: string): TypesFile {
  const { names, scope } = crd.spec;
  const { kind, plural } = names;
  const root = version.schema?.openAPIV3Schema ?? {};
  const writer = new TypeWriter();
  const part = (name: "spec" | "status"): string | undefined => {
    const schema = root.properties?.[name];
    if (!schema) return undefined;
    writer.reportLostOfPart(schema, `.${name}`);
    return writer.interface(schema, kind + (name === "spec" ? "Spec" : "Status"), `.${name}`);
  };
  const [spec, status] = [part("spec"), part("status")];
  const markers = [...kindMarkers(crd, version), ...markerLines(root, { format: false, pattern: false })];
  const parameters = status ? `<${spec ?? "unknown"}, ${status}>` : spec ? `<${spec}>` : "";
  const required = new Set(root.required);
  const isOptional = spec !== undefined && !required.has("spec");
  // An interface cannot make a field of its base optional, so it is omitted from the base first.
  const base = isOptional ? `Omit<CustomResource${parameters}, "spec">` : `CustomResource${parameters}`;
  const members = [
    ...(required.has("metadata") ? ["metadata: ObjectMeta"] : []),
    ...(isOptional ? [`spec?: ${spec}`] : []),
    ...(status && required.has("status") ? [`status: ${status}`] : []),
  ];
  if (required.has("metadata")) writer.runtimeNames.add("ObjectMeta");
  const body = members.length > 0 ? `{\n${members.map((member) => `  ${member};\n`).join("")}}` : "{}";
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
export const ${kind} = defineKind<${kind}>(groupVersion, { kind: ${stringLiteral(kind)}, plural: ${stringLiteral(plural)}${options} });
`;
  return { path, content, lost: [...writer.lost, ...lostOfRoot(root)] };
}

/** What the root of a schema says beside spec and status, which `CustomResource` does not. */
function lostOfRoot({ properties = {}, required = [], ...root }: JSONSchema): string[] {
  const known = ["apiVersion", "kind", "metadata", "spec", "status"];
  const others = Object.keys(properties).filter((name) => !known.includes(name));
  const metadata = Object.keys(properties["metadata"] ?? {}).filter(
    (key) => !["type", "description"].includes(key),
  );
  return [
    ...others.map((name) => `.${name}: field`),
    ...required
      .filter((name) => !["metadata", "spec", "status"].includes(name) && !others.includes(name))
      .map((name) => `.${name}: required`),
    ...(metadata.length > 0 ? [`.metadata: ${metadata.join(", ")}`] : []),
    ...["default", "example", "nullable", "x-kubernetes-preserve-unknown-fields"].flatMap((key) =>
      root[key as keyof typeof root] === undefined ? [] : [`.: ${key}`],
    ),
  ];
}

function kindMarkers({ spec, metadata }: ThirdPartyCrd, version: CRDVersion): string[] {
  const { names, versions } = spec;
  const list = (values: readonly string[] = []): string => values.map(quoteMarker).join(";");
  const resource = [
    ...(names.singular && names.singular !== names.kind.toLowerCase()
      ? [`singular=${quoteMarker(names.singular)}`]
      : []),
    ...(names.shortNames ? [`shortName=${list(names.shortNames)}`] : []),
    ...(names.categories ? [`categories=${list(names.categories)}`] : []),
  ];
  const pairs = (name: "labels" | "annotations"): string[] => {
    const entries = Object.entries(metadata?.[name] ?? {}).filter(([key]) => !key.endsWith("/version"));
    const texts = entries.map(([key, value]) => markerString(`${key}=${value}`));
    return texts.length > 0 ? [`${name}={${texts.join(",")}}`] : [];
  };
  const texts = [...pairs("annotations"), ...pairs("labels")];
  const scale = version.subresources?.scale;
  return [
    ...(resource.length > 0 ? [`+kubebuilder:resource:${resource.join(",")}`] : []),
    ...(texts.length > 0 ? [`+kubebuilder:metadata:${texts.join(",")}`] : []),
    ...(version.subresources?.status ? ["+kubebuilder:subresource:status"] : []),
    ...(scale ? [scaleMarker(scale)] : []),
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
  return `+kubebuilder:deprecatedversion${warning === undefined ? "" : `:warning=${markerString(warning)}`}`;
}

type Scale = NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>;

function scaleMarker({ specReplicasPath, statusReplicasPath, labelSelectorPath }: Scale): string {
  const selector = labelSelectorPath ? `,selectorpath=${quotePath(labelSelectorPath)}` : "";
  return `+kubebuilder:subresource:scale:specpath=${quotePath(specReplicasPath)},statuspath=${quotePath(statusReplicasPath)}${selector}`;
}

function quotePath(path: string): string {
  return /^[\w.-]+$/u.test(path) ? path : quoteMarker(path);
}

function column({ jsonPath, ...rest }: PrinterColumn): string {
  const args = Object.entries({ ...rest, JSONPath: jsonPath }).map(
    ([name, value]) => `${name}=${typeof value === "number" ? value : markerString(value)}`,
  );
  return `+kubebuilder:printcolumn:${args.join(",")}`;
}
