import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { compileSchema } from "@tsbuilder/apimachinery/schema";
import { csvAnnotations } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, crdsOf, definedKinds, findCrdVersion } from "./bundle.ts";
import { type Findings, finding } from "./rules.ts";

/**
 * Checks the examples of the owned kinds, with which consoles fill forms. The schemas of `broken`, the
 * files with invalid CRDs, are not applied.
 */
export function* checkExamples(bundle: Bundle, broken: ReadonlySet<string>): Findings {
  if (bundle.csv.isMissing) return;
  const annotation = examplesAnnotation(bundle.csv);
  const examples = readExamples(bundle.csv);
  if (!examples) {
    const message = "the annotation is not a JSON list of objects";
    yield finding("examples-json", annotation, message, "tsbuilder bundle writes it from config/samples");
    return;
  }
  const owned = ownedKinds(bundle);
  const exemplified = new Set<string>();
  for (const [index, example] of examples.entries()) {
    const id = `${String(example["apiVersion"])} ${String(example["kind"])}`;
    exemplified.add(id);
    if (!owned.has(id)) {
      const message = `the example ${index} is of the kind ${id}, which the bundle does not own`;
      yield finding("examples-kind", annotation, message, "delete the example, or own its kind");
      continue;
    }
    for (const error of schemaErrors(bundle, example, broken)) {
      const hint = "correct the sample in config/samples: an API server would reject it";
      yield finding("examples-schema", annotation, `the example ${index} is invalid: ${error}`, hint);
    }
  }
  const annotations = bundle.csv.get("metadata", "annotations");
  const other = annotations.get(csvAnnotations.otherExamples);
  if (!other.isMissing && !annotations.get(csvAnnotations.examples).isMissing) {
    const message = `${csvAnnotations.otherExamples} is not read where ${csvAnnotations.examples} is`;
    yield finding("examples-annotation", other, message, "delete it");
  }
  for (const [id, place] of owned) {
    if (exemplified.has(id)) continue;
    const hint = `add one to the annotation ${csvAnnotations.examples}: consoles offer it`;
    yield finding("examples-missing", place, `there is no example of ${id}`, hint);
  }
}

/** Returns the annotation with the examples: `alm-examples`, or else `olm.examples`, which operator-sdk reads, too. */
function examplesAnnotation(csv: Located): Located {
  const annotations = csv.get("metadata", "annotations");
  const first = annotations.get(csvAnnotations.examples);
  const other = annotations.get(csvAnnotations.otherExamples);
  return first.isMissing && !other.isMissing ? other : first;
}

/** Reads the examples of a ClusterServiceVersion. Returns undefined if the annotation is not a JSON list of objects. */
export function readExamples(csv: Located): Record<string, unknown>[] | undefined {
  const annotation = examplesAnnotation(csv);
  if (annotation.isMissing || annotation.value === "") return [];
  try {
    const value: unknown = JSON.parse(annotation.text ?? "null");
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the owned kinds by their ids, such as `apps.example.com/v1 Shop`. */
function ownedKinds(bundle: Bundle): Map<string, Located> {
  return new Map(
    definedKinds(bundle, "owned").map(({ at, ...api }) => [
      `${apiVersionOf(api)} ${at.get("kind").text}`,
      at,
    ]),
  );
}

/** Validates an example by the schema of its CRD. Returns no errors if the bundle has no valid CRD for it. */
function schemaErrors(
  bundle: Bundle,
  example: Record<string, unknown>,
  broken: ReadonlySet<string>,
): string[] {
  const crds = crdsOf(bundle).filter(({ file }) => !broken.has(file));
  const served = findCrdVersion(crds, String(example["apiVersion"]), example["kind"]);
  const schema = served?.get("schema", "openAPIV3Schema").value;
  if (!isObject(schema)) return [];
  const compiled = compileSchema(schema);
  return compiled.validate(compiled.applyDefaults(compiled.prune(example).object)).map(formatFieldError);
}
