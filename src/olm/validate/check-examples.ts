import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { compileSchema } from "@tsbuilder/apimachinery/schema";
import { csvAnnotations } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, crdsOf, definedKinds, findCrdVersion } from "./bundle.ts";
import { type BundleFinding, finding } from "./rules.ts";

/** Checks the examples of the owned kinds, with which consoles fill forms. `broken` are the files with invalid CRDs. */
export function checkExamples(bundle: Bundle, broken: ReadonlySet<string>): BundleFinding[] {
  if (bundle.csv.isMissing) return [];
  const annotation = examplesOf(bundle.csv);
  const examples = readExamples(bundle.csv);
  if (!examples) {
    const message = "the annotation is not a JSON list of objects";
    return [finding("examples-json", annotation, message, "tsbuilder bundle writes it from config/samples")];
  }
  const owned = ownedKinds(bundle);
  const shown = new Set<string>();
  const findings = examples.flatMap((example, index) => {
    const id = `${String(example["apiVersion"])} ${String(example["kind"])}`;
    shown.add(id);
    if (!owned.has(id)) {
      const message = `the example ${index} is of the kind ${id}, which the bundle does not own`;
      return [finding("examples-kind", annotation, message, "delete the example, or own its kind")];
    }
    return schemaErrors(bundle, example, broken).map((error) =>
      finding(
        "examples-schema",
        annotation,
        `the example ${index} is invalid: ${error}`,
        "correct the sample in config/samples: an API server would reject it",
      ),
    );
  });
  const missing = [...owned].filter(([id]) => !shown.has(id));
  const annotations = bundle.csv.get("metadata", "annotations");
  const other = annotations.get(csvAnnotations.otherExamples);
  if (!other.isMissing && !annotations.get(csvAnnotations.examples).isMissing) {
    const message = `${csvAnnotations.otherExamples} is not read where ${csvAnnotations.examples} is`;
    findings.push(finding("examples-annotation", other, message, "delete it"));
  }
  return [
    ...findings,
    ...missing.map(([id, place]) =>
      finding(
        "examples-missing",
        place,
        `there is no example of ${id}`,
        `add one to the annotation ${csvAnnotations.examples}: consoles offer it`,
      ),
    ),
  ];
}

function examplesOf(csv: Located): Located {
  const annotations = csv.get("metadata", "annotations");
  const first = annotations.get(csvAnnotations.examples);
  const other = annotations.get(csvAnnotations.otherExamples);
  return first.isMissing && !other.isMissing ? other : first;
}

/** Reads the examples of a ClusterServiceVersion. Returns undefined if the annotation is not a JSON list of objects. */
export function readExamples(csv: Located): Record<string, unknown>[] | undefined {
  const annotation = examplesOf(csv);
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
