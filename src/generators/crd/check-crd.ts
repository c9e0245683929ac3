import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { checkSchema } from "@tsbuilder/apimachinery/cel";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { DiagnosticLog, Place } from "../diagnostic.ts";
import { originKey, rulePlaces, type Schema } from "../schema/schema.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { GeneratedCrd } from "./generate-crds.ts";
import { annotationLimit, largestFields, sizeOf } from "./size.ts";
import { toJson } from "./to-json.ts";

/**
 * Reports what an API server would reject in a CRD, at the source line that causes it: structure, defaults, and CEL
 * rules that are invalid, refer to unknown fields, or may cost too much.
 */
export function checkCrd({ crd, kinds, text }: GeneratedCrd, log: DiagnosticLog): void {
  // YAML is the longer form: what is short there fits in any case.
  if (text.length > annotationLimit / 2) warnOfSize(crd, kinds[0]!.place, log);
  for (const version of crd.spec.versions) {
    const schema = version.schema.openAPIV3Schema;
    const hasStatus = Object.hasOwn(version.subresources ?? {}, "status");
    const kind = kinds.find((one) => one.version === version.name)!;
    const path = "schema";
    for (const error of checkSchema(toJson(schema) as JSONSchema, { path, hasStatus })) {
      const place = findPlace(schema, error.field.slice(path.length)) ?? kind.place;
      log.error(place, `the API server would reject this: ${describe(error)}`, hintFor(error));
    }
  }
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

/** Follows the path of an error through the schema, down to the deepest node with a known source. */
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

const stepPattern = /\.properties\[([^\]]*)\]|\.x-kubernetes-validations\[\d+\]|\.([\w-]+)(?:\[\d+\])?/gu;

function describe({ body, field }: FieldError): string {
  // The path of a schema is long, and the line of source says where it is.
  const at = [...field.matchAll(/properties\[([^\]]*)\]/gu)].map(([, name]) => name).join(".");
  return at === "" ? body : `${at}: ${body}`;
}

function hintFor({ body }: FieldError): string | undefined {
  if (/cost/u.test(body)) {
    return "limit the size of the data that the rule checks: +kubebuilder:validation:MaxItems, MaxLength or MaxProperties";
  }
  if (/uniqueItems/u.test(body)) return "use +listType=set";
  return undefined;
}
