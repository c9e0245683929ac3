import { compareText } from "@tsbuilder/apimachinery/text";
import { type MarkerArguments, strings, text } from "../markers/definition.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";
import type { Marker } from "../markers/collect.ts";
import type { GeneratorOptions } from "../model/options.ts";
import type { KindVersion } from "./find-kinds.ts";
import { type Schema, cutText, mapChildren, mapSchema } from "../model/schema.ts";

/** A CRD as it is generated: its schemas still have the internal keys of `Schema`. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string; readonly [key: string]: unknown };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly [key: string]: unknown };
    readonly scope: string;
    readonly versions: readonly CrdVersion[];
    readonly conversion?: object | undefined;
  };
}

/** Combines the versions of one kind, in any order, into its CRD. Reports versions that contradict each other. */
export function customResourceDefinition(
  kinds: readonly KindVersion[],
  versions: readonly CrdVersion[],
  options: GeneratorOptions,
  log: DiagnosticLog,
): CustomResourceDefinition {
  const [first] = kinds as [KindVersion];
  const sorted = [...versions].sort((a, b) => compareText(a.name, b.name));
  checkSameNames(kinds, log);
  checkVersions(kinds, sorted, log);
  const resource = kinds.flatMap((kind) => checkResource(kind, log)).at(-1);
  const list = (name: string): readonly string[] | undefined => {
    const value = resource ? strings(resource.args, name) : [];
    return value.length > 0 ? value : undefined;
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: buildMetadata(kinds, options),
    spec: {
      group: first.group,
      names: {
        kind: first.kind,
        listKind: `${first.kind}List`,
        plural: first.plural,
        singular: (resource && text(resource.args, "singular")) || first.kind.toLowerCase(),
        shortNames: list("shortName"),
        categories: list("categories"),
      },
      scope: first.scope,
      versions: sorted,
      conversion: buildConversion(kinds),
    },
  };
}

/** Returns the `conversion` of a CRD with a conversion webhook. */
function buildConversion(kinds: readonly KindVersion[]): object | undefined {
  const marker = kinds.flatMap(({ markers }) => markers).find(({ name }) => name === "tsbuilder:conversion");
  if (!marker) return undefined;
  const { args } = marker;
  const reviews = strings(args, "reviewVersions");
  return {
    strategy: "Webhook",
    webhook: {
      clientConfig: {
        service: {
          name: args["service"] ?? "webhook-service",
          namespace: args["namespace"] ?? "system",
          path: args["path"] ?? "/convert",
          port: args["port"],
        },
      },
      conversionReviewVersions: reviews.length > 0 ? reviews : ["v1"],
    },
  };
}

function buildMetadata(
  kinds: readonly KindVersion[],
  options: GeneratorOptions,
): CustomResourceDefinition["metadata"] {
  const [first] = kinds as [KindVersion];
  const markers = kinds.flatMap((kind) => kind.markers.filter(({ name }) => name === "kubebuilder:metadata"));
  const pairs = (name: string): [string, string][] =>
    markers.flatMap(({ args }) =>
      strings(args, name).map((pair): [string, string] => {
        const equals = pair.indexOf("=");
        return [pair.slice(0, equals), pair.slice(equals + 1)];
      }),
    );
  const { versionAnnotation } = options;
  const annotations = Object.fromEntries([
    ...pairs("annotations"),
    ...(versionAnnotation ? [[versionAnnotation.key, versionAnnotation.value] as const] : []),
  ]);
  const labels = Object.fromEntries(pairs("labels"));
  return {
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    labels: Object.keys(labels).length > 0 ? labels : undefined,
    name: `${first.plural}.${first.group}`,
  };
}

/** Returns the markers +kubebuilder:resource; reports one that contradicts the plural or the scope of `defineKind`. */
function checkResource({ kind, plural, scope, markers }: KindVersion, log: DiagnosticLog): Marker[] {
  const resources = markers.filter(({ name }) => name === "kubebuilder:resource");
  const options = [
    ["path", "plural", plural],
    ["scope", "scope", scope],
  ] as const;
  for (const { args, place } of resources) {
    for (const [argument, option, defined] of options) {
      const written = text(args, argument);
      if (written === "" || written === defined) continue;
      const message = `the marker sets the ${option} of ${kind} to "${written}", but defineKind to "${defined}"`;
      log.error(place, message, `set ${option}: "${written}" in defineKind, or remove ${argument}= here`);
    }
  }
  return resources;
}

function checkSameNames(kinds: readonly KindVersion[], log: DiagnosticLog): void {
  const [first] = kinds as [KindVersion];
  for (const { plural, scope, version, place } of kinds) {
    if (plural === first.plural && scope === first.scope) continue;
    const message = `${first.kind} is "${plural}", ${scope} in ${version}, but "${first.plural}", ${first.scope} in ${first.version}`;
    log.error(place, message, "all versions of a kind have the same plural and scope");
  }
  const versions = new Set<string>();
  for (const { version, place } of kinds) {
    if (versions.has(version))
      log.error(place, `${first.kind} ${version} is defined twice`, "remove one of them");
    versions.add(version);
  }
}

/** Checks that one version is stored and at least one served; a single version is stored without a marker. */
function checkVersions(kinds: readonly KindVersion[], versions: CrdVersion[], log: DiagnosticLog): void {
  const [first] = kinds as [KindVersion];
  if (versions.length === 1) versions[0]!.storage = true;
  const stored = versions.filter(({ storage }) => storage);
  const names = versions.map(({ name }) => name).join(", ");
  if (stored.length === 0) {
    const message = `${first.kind} has the versions ${names}, but no storage version`;
    log.error(first.place, message, "add +kubebuilder:storageversion to one of them");
  }
  for (const { name } of stored.slice(1)) {
    const kind = kinds.find(({ version }) => version === name)!;
    const marker = kind.markers.find((candidate) => candidate.name === "kubebuilder:storageversion");
    const message = `${first.kind} has two storage versions, ${stored[0]!.name} and ${name}`;
    log.error(marker?.place ?? kind.place, message, "keep +kubebuilder:storageversion on only one of them");
  }
  if (!versions.some(({ served }) => served)) {
    const message = `${first.kind} has no served version`;
    log.error(first.place, message, "remove +kubebuilder:unservedversion from one of them");
  }
}

/** An entry in a CRD's `versions`. */
export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: true | undefined;
  deprecationWarning?: string | undefined;
  additionalPrinterColumns?: readonly object[] | undefined;
  selectableFields?: readonly { jsonPath: string }[] | undefined;
  schema: { openAPIV3Schema: Schema };
  subresources?: object | undefined;
}

/** Builds the entry of a version from the markers of its kind. */
export function crdVersion(kind: KindVersion, schema: Schema, log: DiagnosticLog): CrdVersion {
  const all = (name: string): readonly Marker[] => kind.markers.filter((marker) => marker.name === name);
  const first = (name: string): Marker | undefined => all(name)[0];
  const deprecated = first("kubebuilder:deprecatedversion");
  const columns = all("kubebuilder:printcolumn").map(({ args }) => printerColumn(args));
  const fields = all("kubebuilder:selectablefield").map(({ args }) => ({
    jsonPath: text(args, "JSONPath"),
  }));
  for (const marker of [...all("kubebuilder:printcolumn"), ...all("kubebuilder:selectablefield")]) {
    const path = text(marker.args, "JSONPath");
    if (!path.startsWith("."))
      log.error(marker.place, `the JSONPath "${path}" must start with a dot`, `use .${path}`);
  }
  return {
    name: kind.version,
    served: !first("kubebuilder:unservedversion"),
    storage: first("kubebuilder:storageversion") !== undefined,
    deprecated: deprecated && true,
    deprecationWarning: deprecated?.args["warning"] as string | undefined,
    additionalPrinterColumns: columns.length > 0 ? columns : undefined,
    selectableFields: fields.length > 0 ? fields : undefined,
    schema: { openAPIV3Schema: schema },
    subresources: subresources(
      first("kubebuilder:subresource:status"),
      first("kubebuilder:subresource:scale"),
      columns.length > 0,
    ),
  };
}

function printerColumn(args: MarkerArguments): object {
  return {
    name: args["name"],
    type: args["type"],
    jsonPath: args["JSONPath"],
    description: args["description"] || undefined,
    format: args["format"] || undefined,
    priority: args["priority"] || undefined,
  };
}

/** Returns the subresources; empty, as controller-gen writes them, for a version with columns and without any. */
function subresources(
  status: Marker | undefined,
  scale: Marker | undefined,
  hasColumns: boolean,
): object | undefined {
  if (!status && !scale) return hasColumns ? {} : undefined;
  return {
    status: status && {},
    scale: scale && {
      specReplicasPath: scale.args["specpath"],
      statusReplicasPath: scale.args["statuspath"],
      labelSelectorPath: scale.args["selectorpath"] || undefined,
    },
  };
}

/** Copies a CRD or a schema as the API server reads it from the file, without internal and undefined keys. */
export function toJson<Value>(value: Value): Value {
  return copyJson(value) as Value;
}

// JSON.stringify with a replacer takes several times as long, and this runs after every edit.
function copyJson(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    // A property may be named __proto__.
    if (key === "__proto__")
      Object.defineProperty(copied, key, { value: copyJson(member), enumerable: true });
    else copied[key] = copyJson(member);
  }
  return copied;
}

/** `kubectl apply` stores the whole object in an annotation, and the size of all annotations is limited. */
export const annotationLimit = 262_144;

/** Returns the size of a CRD, or a part of it, in the annotation of `kubectl apply`, in bytes. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(toJson(value)));
}

/** Lists the largest fields of spec and status, by version and path, largest first. */
export function largestFields(crd: CustomResourceDefinition, count = 3): { path: string; bytes: number }[] {
  const found = crd.spec.versions.flatMap(({ name, schema }) =>
    ["spec", "status"].flatMap((part) => {
      const properties = schema.openAPIV3Schema.properties?.[part]?.properties ?? {};
      return Object.entries(properties).map(([field, node]) => ({
        path: `${name}: .${part}.${field}`,
        bytes: sizeOf(node),
      }));
    }),
  );
  return found.sort((a, b) => b.bytes - a.bytes || compareText(a.path, b.path)).slice(0, count);
}

/**
 * Shortens descriptions until a CRD fits, starting with the most deeply nested ones, because users mostly read those at
 * the top. Each level is cut to its first sentence before it is removed. The structure is never changed.
 */
export function trimDescriptions(
  crd: CustomResourceDefinition,
  limit: number = annotationLimit,
): CustomResourceDefinition {
  let trimmed = crd;
  const deepest = Math.max(...crd.spec.versions.map(({ schema }) => measureDepth(schema.openAPIV3Schema)));
  for (let depth = deepest; depth > 1 && sizeOf(trimmed) > limit; depth--) {
    trimmed = editDescriptionsAt(trimmed, depth, firstSentence);
    if (sizeOf(trimmed) > limit) trimmed = editDescriptionsAt(trimmed, depth, () => undefined);
  }
  return trimmed;
}

function editDescriptionsAt(
  crd: CustomResourceDefinition,
  depth: number,
  edit: (text: string) => string | undefined,
): CustomResourceDefinition {
  const versions = crd.spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: editDescriptions(version.schema.openAPIV3Schema, depth, edit) },
  }));
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** Edits the descriptions of all nodes at a depth and deeper. */
function editDescriptions(schema: Schema, depth: number, edit: (text: string) => string | undefined): Schema {
  if (depth <= 0) {
    return mapSchema(schema, (node) =>
      node.description === undefined ? node : { ...node, description: edit(node.description) },
    );
  }
  return mapChildren(schema, (child) => editDescriptions(child, depth - 1, edit));
}

function measureDepth(schema: Schema): number {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : []),
  ];
  return inner.length === 0 ? 0 : 1 + Math.max(...inner.map(measureDepth));
}

function firstSentence(text: string): string {
  const end = /[.!?](?:\s|$)/u.exec(text);
  return end ? text.slice(0, end.index + 1) : cutText(text, 80);
}
