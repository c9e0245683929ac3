import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { validateCRD } from "@tsbuilder/apimachinery/crd";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import { originKey, rulePlaces, type Schema } from "../model/schema.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { annotationLimit, largestFields, sizeOf, toJson } from "./custom-resource-definition.ts";
import type { KindVersion } from "./find-kinds.ts";
import type { GeneratedCrd } from "./generate-crds.ts";

/**
 * Reports what an API server would reject in a CRD, at the source line that causes it: names, selectable fields,
 * structure, defaults, and CEL rules that are invalid, refer to unknown fields, or may cost too much.
 */
export function checkCrd({ crd, kinds, text }: GeneratedCrd, log: DiagnosticLog): void {
  // YAML is longer than JSON: a short text always fits.
  if (text.length > annotationLimit / 2) warnOfSize(crd, kinds[0]!.place, log);
  for (const error of validateCRD(toJson(crd) as unknown as Parameters<typeof validateCRD>[0])) {
    log.error(
      placeOf(error.field, { crd, kinds }),
      `the API server would reject this: ${describe(error)}`,
      hintFor(error),
    );
  }
}

/** Finds the source of a field of a CRD, which is written as in the API server's errors; that of the kind if it has none. */
export function placeOf(field: string, { crd, kinds }: Pick<GeneratedCrd, "crd" | "kinds">): Place {
  const index = /^spec\.versions\[(\d+)\]/u.exec(field)?.[1];
  const version = index === undefined ? undefined : crd.spec.versions[Number(index)]?.name;
  const kind = kinds.find((one) => one.version === version) ?? kinds[0]!;
  return schemaPlace(field, crd, kinds) ?? markerPlace(field, crd, kinds) ?? kind.place;
}

/** An API server reports an error of a schema that all versions share at `spec.validation`: the first one has it. */
const schemaPath = /^spec\.(?:versions\[(\d+)\]\.schema|validation)\.openAPIV3Schema/u;

/** Finds the source of an error within a schema; undefined for errors elsewhere. */
function schemaPlace(
  field: string,
  { spec: { versions } }: CustomResourceDefinition,
  kinds: readonly KindVersion[],
): Place | undefined {
  const [path, index = "0"] = schemaPath.exec(field) ?? [];
  const version = versions[Number(index)];
  if (path === undefined || !version) return undefined;
  const place = findPlace(version.schema.openAPIV3Schema, field.slice(path.length));
  return place ?? kinds.find((kind) => kind.version === version.name)?.place;
}

/** The markers that set the parts of a CRD outside of its schema. */
const markerPaths: readonly (readonly [path: RegExp, marker: string])[] = [
  [/\.(?:shortNames|categories|singular)/u, "kubebuilder:resource"],
  [/selectableFields/u, "kubebuilder:selectablefield"],
  [/additionalPrinterColumns/u, "kubebuilder:printcolumn"],
  [/subresources\.scale/u, "kubebuilder:subresource:scale"],
];

/** Finds the marker that an error outside of the schemas comes from; undefined if none sets that field. */
function markerPlace(
  field: string,
  { spec: { versions } }: CustomResourceDefinition,
  kinds: readonly KindVersion[],
): Place | undefined {
  const marker = markerPaths.find(([path]) => path.test(field))?.[1];
  const versionIndex = /versions\[(\d+)\]/u.exec(field)?.[1];
  const versionName = versionIndex === undefined ? undefined : versions[Number(versionIndex)]?.name;
  const markers = kinds
    .filter((kind) => versionName === undefined || kind.version === versionName)
    .flatMap((kind) => kind.markers.filter((candidate) => candidate.name === marker));
  const index = /(?:selectableFields|additionalPrinterColumns)\[(\d+)\]/u.exec(field)?.[1];
  return markers[Number(index ?? 0)]?.place;
}

function warnOfSize(crd: CustomResourceDefinition, place: Place, log: DiagnosticLog): void {
  const bytes = sizeOf(crd);
  if (bytes <= annotationLimit) return;
  const largest = largestFields(crd).map((field) => `${field.path} ${field.bytes}`);
  log.warn(
    place,
    `the CRD of ${crd.spec.names.kind} has ${bytes} bytes, but kubectl apply accepts ${annotationLimit}: ${largest.join(", ")}`,
    "apply it with --server-side, put +tsbuilder:maxDescLen=0 on a field, or use --trim-descriptions",
  );
}

/** A step of the path of an error: a property, a CEL rule, or another keyword. */
const stepPattern = /\.properties\[([^\]]*)\]|\.x-kubernetes-validations\[\d+\]|\.([\w-]+)(?:\[\d+\])?/gu;

/** Follows the path of an error through a schema, and returns the source of the deepest node that has one. */
function findPlace(schema: Schema, path: string): Place | undefined {
  let node: Schema | undefined = schema;
  let place = schema[originKey]?.place;
  for (const [step, name, key] of path.matchAll(stepPattern)) {
    const origin: Schema[typeof originKey] = node?.[originKey];
    if (step.startsWith(".x-kubernetes-validations[")) {
      const rule = node?.["x-kubernetes-validations"]?.[Number(step.replace(/\D/gu, ""))];
      return (rule && rulePlaces.get(rule)) ?? place;
    }
    if (name !== undefined) node = node?.properties?.[name];
    else if (key === "items") node = node?.items;
    else if (key === "additionalProperties") {
      node = typeof node?.additionalProperties === "object" ? node.additionalProperties : undefined;
    } else return origin?.markers.get(key ?? "") ?? place;
    place = node?.[originKey]?.place ?? place;
  }
  return place;
}

function describe({ body, field }: FieldError): string {
  // The path of a schema is long, and the line of source says where it is.
  const path = [...field.matchAll(/properties\[([^\]]*)\]/gu)].map(([, name]) => name).join(".");
  return path === "" ? body : `${path}: ${body}`;
}

function hintFor({ body }: FieldError): string | undefined {
  if (/cost/u.test(body)) {
    return "limit the size of the data that the rule checks: +kubebuilder:validation:MaxItems, MaxLength or MaxProperties";
  }
  if (/uniqueItems/u.test(body)) return "use +listType=set";
  return undefined;
}
