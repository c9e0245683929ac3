/**
 * The scorecard of a bundle: operator-sdk's own tests, built in. `test-list.ts` reads which tests a bundle has, and prints the
 * results.
 */

import { isObject } from "@tsbuilder/apimachinery/json";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { csvAnnotations } from "../bundle-format.ts";
import { readExamples } from "../validate/check-objects.ts";
import { type Bundle, crdsOf, definedCrds, findCrdVersion } from "../validate/bundle.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import { type ScorecardTest, type TestResult, type TestWithResults, resultOf } from "./test-list.ts";
import type { Tree } from "../../scaffold/tree.ts";
import type { Located } from "../located.ts";
import { validateBundle } from "../validate/validate-bundle.ts";

/** Returns whether a test looks at the examples as objects, and not only at the files of the bundle. */
export function looksAtObjects(test: ScorecardTest): boolean {
  return isBuiltIn(test) && test.entrypoint[1] !== "olm-bundle-validation";
}

export interface OwnedKind {
  readonly kind: string;
  readonly apiVersion: string;
}

/** An example of the bundle, in its state in the cluster if the tests use one. */
interface Example {
  readonly object: ManifestObject;
  /** The kinds of objects that the operator made for the example: `apps/v1 Deployment`. */
  readonly made: readonly OwnedKind[];
}

/** A reason why no test could look at an example. */
interface ExampleProblem {
  readonly message: string;
  readonly hint: string;
}

interface CheckedBundle {
  readonly tree: Tree;
  readonly folder: string;
  readonly bundle: Bundle;
  readonly examples: readonly Example[];
  /** Problems of further examples, which no test could look at. */
  readonly problems: readonly ExampleProblem[];
  /** The examples are in a cluster in which the operator runs. */
  readonly isRunning: boolean;
}

type Check = (name: string, checked: CheckedBundle) => TestResult | Promise<TestResult>;

/** The tests that need no image, by the name in the entrypoint of `scorecard-test`. */
export const builtInChecks: Readonly<Record<string, Check>> = {
  "basic-check-spec": (name, { examples }) => {
    const specless = examples.filter(({ object }) => !isObject(object["spec"]));
    return resultOf(
      name,
      [],
      specless.map(({ object }) => `${describeExample(object)} has no spec: add one in config/samples`),
    );
  },
  "olm-bundle-validation": async (name, { tree, folder }) => {
    const findings = await validateBundle(tree, folder);
    const describe = ({ position, message, rule }: (typeof findings)[number]): string =>
      `${position.file}:${position.line}:${position.column}: ${message} (${rule})`;
    return resultOf(
      name,
      findings.filter(({ severity }) => severity === "error").map(describe),
      findings.map((one) => (one.severity === "error" ? one.hint : `${describe(one)}: ${one.hint}`)),
    );
  },
  "olm-crds-have-validation": (name, { bundle, examples }) => {
    const errors = examples.flatMap(({ object }) => undeclaredFields(bundle, object));
    return resultOf(name, errors, errors.length > 0 ? ["declare the fields in the types below api/"] : []);
  },
  "olm-crds-have-resources": (name, { bundle, examples }) => {
    const missing = definedCrds(bundle, "owned").filter((crd) => crd.get("resources").items.length === 0);
    return resultOf(
      name,
      missing.map((crd) => `${describeCrd(crd)} lists no resources`),
      missing.map((crd) => suggestResources(crd, examples)),
    );
  },
  "olm-spec-descriptors": (name, checked) => checkDescriptors(name, checked, "spec"),
  "olm-status-descriptors": (name, checked) => {
    const result = checkDescriptors(name, checked, "status");
    const statusless = checked.examples.filter(({ object }) => fieldsOf(object, "status").length === 0);
    const why = checked.isRunning ? "has no status, though the operator runs" : "has no status";
    return {
      ...result,
      suggestions: [
        ...result.suggestions,
        ...statusless.map(({ object }) => `${describeExample(object)} ${why}`),
      ],
    };
  },
};

/** Returns whether a test is one of operator-sdk's own, which are built in here, and need no image. */
function isBuiltIn({ entrypoint: [program, name = ""] }: ScorecardTest): boolean {
  return program === "scorecard-test" && Object.hasOwn(builtInChecks, name);
}

/** Runs a test of the scorecard. A test that needs an image ends with an error. */
export async function runTest(test: ScorecardTest, checked: CheckedBundle): Promise<TestWithResults> {
  return { ...test, results: [await resultFor(test, checked)] };
}

async function resultFor(test: ScorecardTest, checked: CheckedBundle): Promise<TestResult> {
  const [program = "", name = ""] = test.entrypoint;
  if (isBuiltIn(test)) {
    const result = await builtInChecks[name]!(name, checked);
    return looksAtObjects(test) ? withProblems(result, checked.problems) : result;
  }
  return {
    ...resultOf(test.labels["test"] ?? program, [`the test is a program in the image ${test.image}`]),
    state: "error",
    suggestions: [
      "tsbuilder runs no images: write it as test/scorecard/NAME.test.ts, or omit it with --selector",
    ],
  };
}

const hint = "correct the sample in config/samples, and run tsbuilder bundle";

/** Turns a result into an error if the test could not look at all examples. */
function withProblems(result: TestResult, problems: readonly ExampleProblem[]): TestResult {
  if (problems.length === 0) return result;
  return {
    ...result,
    state: "error",
    errors: [...problems.map(({ message }) => message), ...result.errors],
    suggestions: [...new Set([...problems.map(({ hint }) => hint), ...result.suggestions])],
  };
}

/** Reads the examples of a bundle, and the problems that keep others from being objects. */
export function examplesOf({ csv }: Bundle): {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly ExampleProblem[];
} {
  const examples = readExamples(csv);
  if (!examples) {
    return {
      objects: [],
      problems: [{ message: `${csvAnnotations.examples} is not a JSON list of objects`, hint }],
    };
  }
  const problems = examples.flatMap((example, index) => {
    const missing = missingField(example);
    return missing === undefined ? [] : [{ message: `the example ${index} has no ${missing}`, hint }];
  });
  const objects = examples.filter((example) => missingField(example) === undefined);
  return { objects: objects as unknown as ManifestObject[], problems };
}

function checkDescriptors(
  name: string,
  { bundle, examples }: CheckedBundle,
  part: "spec" | "status",
): TestResult {
  const errors = new Set<string>();
  const suggestions = new Set<string>();
  for (const { object } of examples) {
    const crd = definedCrds(bundle, "owned").find((one) => isOfCrd(object, one));
    if (!crd) {
      errors.add(`${describeExample(object)}: the bundle does not own ${object.apiVersion} ${object.kind}`);
      suggestions.add(
        "delete the sample from config/samples, or list its CRD in config/crd/kustomization.yaml",
      );
      continue;
    }
    const paths = crd.get(`${part}Descriptors`).items.map((one) => one.get("path").text ?? "");
    for (const field of fieldsOf(object, part)) {
      if (paths.some((path) => describes(path, field))) continue;
      errors.add(`${describeCrd(crd)} has no descriptor for ${part}.${field}`);
      suggestions.add(
        `declare ${field} in the type of the ${part} and run tsbuilder bundle, or describe it in the base in config/manifests/bases`,
      );
    }
  }
  return resultOf(name, [...errors], [...suggestions]);
}

/** Returns whether the path of a descriptor is a field, or below it: `limits.cpu` for `limits`. */
function describes(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns an error for each field of an example that the schema of its kind does not declare. */
function undeclaredFields(bundle: Bundle, object: ManifestObject): string[] {
  const served = findCrdVersion(crdsOf(bundle), object.apiVersion, object.kind);
  if (!served)
    return [`${describeExample(object)}: no CRD of the bundle has ${object.apiVersion} ${object.kind}`];
  const properties = served.get("schema", "openAPIV3Schema", "properties");
  return (["spec", "status"] as const).flatMap((part) =>
    fieldsOf(object, part)
      .filter((field) => !declares(properties.get(part), field))
      .map((field) => `the schema of ${object.apiVersion} ${object.kind} does not declare ${part}.${field}`),
  );
}

/** Returns whether a schema declares a field, by its name or by admitting any field. */
function declares(schema: Located, field: string): boolean {
  return (
    !schema.get("properties", field).isMissing ||
    !schema.get("additionalProperties").isMissing ||
    schema.get("x-kubernetes-preserve-unknown-fields").value === true
  );
}

/** Suggests the marker with the kinds that an operator made for the examples; `Deployment` if none is known. */
function suggestResources(crd: Located, examples: readonly Example[]): string {
  const made = examples.filter(({ object }) => isOfCrd(object, crd)).flatMap((example) => example.made);
  const unique = [...new Map(made.map((one) => [`${one.apiVersion} ${one.kind}`, one])).values()];
  const list = unique.length > 0 ? unique : [{ kind: "Deployment", apiVersion: "apps/v1" }];
  const words = list.map(({ kind, apiVersion }) => `{${kind},${parseApiVersion(apiVersion).version},""}`);
  const what = unique.length > 0 ? "the operator made these" : "name the kinds of objects that it makes";
  return `${describeCrd(crd)}: ${what}: // +operator-sdk:csv:customresourcedefinitions:resources={${words.join(",")}}`;
}

function isOfCrd({ apiVersion, kind }: ManifestObject, crd: Located): boolean {
  const { group, version } = parseApiVersion(apiVersion);
  const isGroup = crd.get("name").text?.endsWith(`.${group}`) === true;
  return isGroup && crd.get("version").text === version && crd.get("kind").text === kind;
}

function describeCrd(crd: Located): string {
  return `${crd.get("kind").text} ${crd.get("version").text}`;
}

function describeExample({ kind, metadata }: ManifestObject): string {
  return `the example ${kind} ${metadata.name}`;
}

function fieldsOf(object: ManifestObject, part: "spec" | "status"): string[] {
  const value = object[part];
  return isObject(value) ? Object.keys(value) : [];
}

/** Returns the first required field of every object that an example lacks; undefined if it has all of them. */
function missingField({ apiVersion, kind, metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const name = isObject(metadata) ? metadata["name"] : undefined;
  const needed = { apiVersion, kind, "metadata.name": name };
  return Object.entries(needed).find(([, value]) => typeof value !== "string" || value === "")?.[0];
}
