import type { FieldDescription, KindDescription } from "../../generators/crd/describe-kinds.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import type { CrdDescription, FieldDescriptor } from "./csv.ts";

/** A CRD of the rendered deployment. */
export interface Crd extends ManifestObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: DescribedSchema };
    }[];
  };
}

/** Describes each served version of a CRD by its schema, and by the markers of its kind. */
export function describeCrd({ metadata, spec }: Crd, marked: readonly KindDescription[]): CrdDescription[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name: version, schema }) => {
      const { description, properties } = schema?.openAPIV3Schema ?? {};
      const said = marked.find((each) => each.name === metadata.name && each.version === version);
      const fields = describeFields(properties?.["spec"], "spec", said?.spec);
      const status = describeFields(properties?.["status"], "status", said?.status);
      // OLM requires the name, but it may be empty.
      const resources = (said?.resources ?? []).map(([kind = "", version = "", name = ""]) => ({
        kind,
        name,
        version,
      }));
      return {
        kind,
        name: metadata.name,
        version,
        displayName: said?.displayName ?? kindInWords(kind),
        ...(description === undefined ? {} : { description: description.split("\n")[0]! }),
        ...(resources.length > 0 ? { resources } : {}),
        ...(fields.length > 0 ? { specDescriptors: fields } : {}),
        ...(status.length > 0 ? { statusDescriptors: status } : {}),
      };
    });
}

/** The part of an OpenAPI schema that descriptors are derived from. */
export interface DescribedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

/**
 * Describes the fields of a spec or status: all outer ones by their schemas, and fields with a marker by the marker. Fields
 * with a position in their marker come first.
 */
export function describeFields(
  schema: DescribedSchema | undefined,
  part: "spec" | "status",
  marked: readonly FieldDescription[] = [],
): FieldDescriptor[] {
  const fields = new Map(
    Object.entries(schema?.properties ?? {}).map(([path, field]): [string, FieldDescriptor] => [
      path,
      descriptor(path, path, field.description, controlsOf(path, field, part)),
    ]),
  );
  for (const { path, name, description, displayName, xDescriptors } of marked) {
    const derived = fields.get(path);
    const controls = xDescriptors.length > 0 ? xDescriptors : (derived?.["x-descriptors"] ?? []);
    const words = derived?.description ?? description;
    fields.set(path, { ...descriptor(path, name, words, controls), ...(displayName ? { displayName } : {}) });
  }
  const position = ({ path }: FieldDescriptor): number =>
    marked.find((field) => field.path === path)?.order ?? Number.MAX_SAFE_INTEGER;
  return [...fields.values()].sort((a, b) => position(a) - position(b));
}

function descriptor(
  path: string,
  name: string,
  description: string | undefined,
  controls: readonly string[],
): FieldDescriptor {
  return {
    ...(description === undefined ? {} : { description }),
    displayName: inWords(name),
    path,
    ...(controls.length > 0 ? { "x-descriptors": controls } : {}),
  };
}

const console = "urn:alm:descriptor:com.tectonic.ui:";

/** Returns the controls for a field in OLM's console, as far as its type determines them. */
function controlsOf(name: string, field: DescribedSchema, part: "spec" | "status"): string[] {
  const { type, properties = {}, enum: values } = field;
  if (part === "status") return name === "conditions" ? ["urn:alm:descriptor:io.kubernetes.conditions"] : [];
  if (values) return values.map((value) => `${console}select:${String(value)}`);
  if (type === "integer") return [`${console}${name === "replicas" ? "podCount" : "number"}`];
  if ("limits" in properties && "requests" in properties) return [`${console}resourceRequirements`];
  const control = { boolean: "booleanSwitch", number: "number", string: "text" }[type ?? ""];
  return control === undefined ? [] : [`${console}${control}`];
}

/** Splits a name into words: `minReadySeconds` into "Min Ready Seconds", `clusterIPs` into "Cluster IPs". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z]{2,})/gu, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Splits a kind into words: `AppService` into "App Service", but `MySQL` is a name. */
export function kindInWords(kind: string): string {
  return kind.replaceAll(/([a-z0-9])(?=[A-Z][a-z])/gu, "$1 ");
}

/** Compares CRDs by the order in their markers. Those without one follow. */
export function byMarkers(
  marked: readonly KindDescription[],
): (a: CrdDescription, b: CrdDescription) => number {
  const position = (crd: CrdDescription): number =>
    marked.find(({ name, version }) => name === crd.name && version === crd.version)?.order ??
    Number.MAX_SAFE_INTEGER;
  return (a, b) => position(a) - position(b);
}
