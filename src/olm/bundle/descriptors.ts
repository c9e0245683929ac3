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
      const described = marked.find((kind) => kind.name === metadata.name && kind.version === version);
      const specFields = describeFields(properties?.["spec"], "spec", described?.spec);
      const statusFields = describeFields(properties?.["status"], "status", described?.status);
      // OLM requires the name, but it may be empty.
      const resources = (described?.resources ?? []).map(([kind = "", version = "", name = ""]) => ({
        kind,
        name,
        version,
      }));
      return {
        kind,
        name: metadata.name,
        version,
        displayName: described?.displayName ?? kindInWords(kind),
        ...(description === undefined ? {} : { description: description.split("\n")[0]! }),
        ...(resources.length > 0 ? { resources } : {}),
        ...(specFields.length > 0 ? { specDescriptors: specFields } : {}),
        ...(statusFields.length > 0 ? { statusDescriptors: statusFields } : {}),
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

/** Describes all outer fields by their schemas, and fields with a marker by the marker. Those with a position in it come first. */
export function describeFields(
  schema: DescribedSchema | undefined,
  part: "spec" | "status",
  marked: readonly FieldDescription[] = [],
): FieldDescriptor[] {
  const fields = new Map(
    Object.entries(schema?.properties ?? {}).map(([path, field]): [string, FieldDescriptor] => [
      path,
      descriptor(path, path, field.description, consoleControls(path, field, part)),
    ]),
  );
  for (const { path, name, description, displayName, xDescriptors } of marked) {
    const derived = fields.get(path);
    const controls = xDescriptors.length > 0 ? xDescriptors : (derived?.["x-descriptors"] ?? []);
    const text = derived?.description ?? description;
    fields.set(path, { ...descriptor(path, name, text, controls), ...(displayName ? { displayName } : {}) });
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
    displayName: fieldInWords(name),
    path,
    ...(controls.length > 0 ? { "x-descriptors": controls } : {}),
  };
}

/** The prefix of the identifiers of controls in OLM's console. */
const consolePrefix = "urn:alm:descriptor:com.tectonic.ui:";

/** Returns the controls for a field in OLM's console, as far as its type determines them. */
function consoleControls(name: string, field: DescribedSchema, part: "spec" | "status"): string[] {
  const { type, properties = {}, enum: values } = field;
  if (part === "status") return name === "conditions" ? ["urn:alm:descriptor:io.kubernetes.conditions"] : [];
  if (values) return values.map((value) => `${consolePrefix}select:${String(value)}`);
  if (type === "integer") return [`${consolePrefix}${name === "replicas" ? "podCount" : "number"}`];
  if ("limits" in properties && "requests" in properties) return [`${consolePrefix}resourceRequirements`];
  const control = { boolean: "booleanSwitch", number: "number", string: "text" }[type ?? ""];
  return control === undefined ? [] : [`${consolePrefix}${control}`];
}

/** Splits a name into words: `minReadySeconds` into "Min Ready Seconds", `clusterIPs` into "Cluster IPs". */
export function fieldInWords(name: string): string {
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
export function compareByMarkers(
  marked: readonly KindDescription[],
): (a: CrdDescription, b: CrdDescription) => number {
  const position = (crd: CrdDescription): number =>
    marked.find(({ name, version }) => name === crd.name && version === crd.version)?.order ??
    Number.MAX_SAFE_INTEGER;
  return (a, b) => position(a) - position(b);
}
