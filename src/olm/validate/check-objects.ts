import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { type CRDSpec, defaultNames, validateCRD } from "@tsbuilder/apimachinery/crd";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { copyJSON, isObject } from "@tsbuilder/apimachinery/json";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { compileSchema } from "@tsbuilder/apimachinery/schema";
import { bundledKinds, csvAnnotations, csvKind } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { type Bundle, crdsOf, definedCrds, definedKinds, findCrdVersion, versionsOf } from "./bundle.ts";
import { show } from "./check-csv.ts";
import { type BundleFinding, type Findings, finding } from "./rules.ts";
import { decodeCrd } from "../../generators/types/read-crds.ts";

/** Checks the manifests beside the ClusterServiceVersion. */
export function* checkObjects({ objects }: Bundle): Findings {
  const seen = new Map<string, string>();
  for (const object of objects) {
    const [apiVersion, kind, name] = [
      object.get("apiVersion"),
      object.get("kind"),
      object.get("metadata", "name"),
    ];
    if (!apiVersion.text || !kind.text) {
      const message = `${apiVersion.text ? "kind" : "apiVersion"} of the object is not set`;
      yield finding("object-type", apiVersion.text ? kind : apiVersion, message, "set apiVersion and kind");
      continue;
    }
    if (kind.text === csvKind) continue;
    if (!bundledKinds.has(kind.text)) {
      const message = `OLM creates no ${kind.text} from a bundle`;
      yield finding("object-kind", kind, message, "have the operator create it, or omit it");
    }
    yield* checkName(kind.text, name);
    const id = `${kind.text}.${parseApiVersion(apiVersion.text).group} ${name.text}`;
    const former = seen.get(id);
    if (former !== undefined) {
      const message = `"${former}" has this ${kind.text}, too: ${name.text}`;
      yield finding("object-duplicate", name, message, "delete one of the files, or rename the object");
    }
    seen.set(id, object.file);
    const namespace = object.get("metadata", "namespace");
    if (!namespace.isMissing) {
      const message = `the object is meant for the namespace ${show(namespace)}, but OLM chooses the namespace`;
      yield finding("object-namespace", namespace, message, "delete metadata.namespace");
    }
    yield* checkRisks(kind.text, object);
  }
}

/** The kinds whose names are path segments: as in an API server, they may contain everything but `/` and `%`. */
const kindsWithPathSegmentNames = new Set(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]);

function* checkName(kind: string, name: Located): Findings {
  const written = name.text ?? "";
  const reasons =
    kindsWithPathSegmentNames.has(kind) && written !== ""
      ? ["/", "%"].filter((part) => written.includes(part)).map((part) => `may not contain '${part}'`)
      : checkSubdomain(written);
  const [reason] = reasons;
  if (reason === undefined) return;
  const message = `metadata.name ${show(name)} ${reason}`;
  yield finding("object-name", name, message, `give the ${kind} a valid name`);
}

/** Checks objects that would be valid, but would harm the cluster: its nodes, pods of others, or its security. */
function* checkRisks(kind: string, object: Located): Findings {
  if (kind === "PodDisruptionBudget") yield* checkDisruptionBudget(object.get("spec"));
  if (kind === "PriorityClass" && object.get("globalDefault").value === true) {
    const message = "this PriorityClass would be that of all pods in the cluster";
    yield finding("priority-class", object.get("globalDefault"), message, "set globalDefault: false");
  }
  if (kind !== "Role" && kind !== "ClusterRole") return;
  for (const rule of object.get("rules").items) yield* checkRule(rule);
}

function* checkDisruptionBudget(spec: Located): Findings {
  const blocking = [
    [spec.get("maxUnavailable"), [0, "0", "0%"]],
    [spec.get("minAvailable"), ["100%"]],
  ] as const;
  for (const [field, values] of blocking) {
    if (!values.some((value) => value === field.value)) continue;
    const message = `with ${field.path}: ${String(field.value)} no node with such a pod can ever be drained`;
    yield finding("disruption-budget", field, message, "allow at least one pod to be evicted");
  }
}

/** OpenShift's built-in security context constraints. */
const openShiftConstraints = new Set([
  "anyuid",
  "hostaccess",
  "hostmount-anyuid",
  "hostnetwork",
  "hostnetwork-v2",
  "node-exporter",
  "nonroot",
  "nonroot-v2",
  "privileged",
  "restricted",
  "restricted-v2",
]);

function* checkRule(rule: Located): Findings {
  const grants = (group: string, resource: string, verbs: readonly string[]): boolean =>
    rule.get("apiGroups").texts.includes(group) &&
    rule.get("resources").texts.includes(resource) &&
    rule.get("verbs").texts.some((verb) => verb === "*" || verbs.includes(verb));
  if (grants("policy", "poddisruptionbudgets", ["create", "update", "patch"])) {
    const message = "this role may write PodDisruptionBudgets, which can keep nodes from being drained";
    yield finding("disruption-rights", rule, message, "check that the operator needs it");
  }
  const constraints = rule.get("resourceNames").texts.filter((name) => openShiftConstraints.has(name));
  if (
    constraints.length > 0 &&
    grants("security.openshift.io", "securitycontextconstraints", ["delete", "update", "patch"])
  ) {
    const message = `this role may change OpenShift's own constraints: ${constraints.join(", ")}`;
    yield finding("security-constraints", rule, message, "grant only the verb use on them");
  }
}

/** Validates the CRDs as an API server does. Finds nothing in CRDs of `v1beta1`, which it no longer serves. */
export async function checkCrds(bundle: Bundle): Promise<BundleFinding[]> {
  return (await Promise.all(crdsOf(bundle).map(checkCrd))).flat();
}

async function checkCrd(crd: Located): Promise<BundleFinding[]> {
  const hint = "generate CRDs with tsbuilder manifests, which refuses what an API server would";
  try {
    const decoded = await decodeCrd(copyJSON(crd.value) as Record<string, unknown>);
    const metadata = isObject(decoded["metadata"]) ? decoded["metadata"] : {};
    const spec = decoded["spec"] as CRDSpec | undefined;
    defaultNames(spec);
    return validateCRD({ metadata, ...(spec ? { spec } : {}) }).map((error) =>
      finding("crd-invalid", crd.find(error.field), formatFieldError(error), hint),
    );
  } catch (error) {
    if (error instanceof DecodeError) return [finding("crd-invalid", crd.get("spec"), error.message, hint)];
    if (error instanceof RangeError) {
      return [finding("crd-invalid", crd.get("spec"), "the schema is nested too deeply", hint)];
    }
    throw error;
  }
}

/** Checks that the CRDs of the bundle are those that the ClusterServiceVersion owns, in versions that they have. */
export function* checkOwned(bundle: Bundle): Findings {
  if (bundle.csv.isMissing) return;
  const owned = definedCrds(bundle, "owned");
  const crds = bundle.objects.filter((object) => object.get("kind").value === "CustomResourceDefinition");
  const seen = new Map<string, string>();
  for (const described of [...owned, ...definedCrds(bundle, "required")]) {
    const name = described.get("name");
    if (!/^[^.]+\.[^.]/u.test(name.text ?? "")) {
      const message = `${show(name)} is not the name of a CRD`;
      yield finding("owned-crd-name", name, message, "use PLURAL.GROUP, such as shops.apps.example.com");
    }
    const id = `${name.text} ${described.get("version").text}`;
    const former = seen.get(id);
    if (former !== undefined) {
      const message = `${former} is the same version of the same CRD`;
      yield finding("owned-crd-duplicate", name, message, "delete one of them");
    }
    seen.set(id, described.path);
  }
  for (const described of owned) {
    const [name, version, kind] = [described.get("name"), described.get("version"), described.get("kind")];
    const crd = crds.find((candidate) => candidate.get("metadata", "name").value === name.value);
    if (!crd) {
      const message = `the owned CRD ${show(name)} is not in the bundle`;
      yield finding("owned-crd-missing", name, message, "add its file to manifests/, or list it as required");
    } else if (crd.get("spec", "names", "kind").value !== kind.value) {
      const message = `the kind of "${crd.file}" is ${show(crd.get("spec", "names", "kind"))}, and not ${show(kind)}`;
      yield finding("owned-crd-missing", kind, message, "correct the kind");
    } else if (!versionsOf(crd).includes(version.text ?? "")) {
      const message = `"${crd.file}" has the versions ${versionsOf(crd).join(", ") || "(none)"}, and not ${show(version)}`;
      yield finding("owned-crd-missing", version, message, "own a version that the CRD has");
    }
  }
  for (const crd of crds) {
    const name = crd.get("metadata", "name");
    if (owned.some((described) => described.get("name").value === name.value)) continue;
    const message = `the CRD ${show(name)} is in the bundle, but the ClusterServiceVersion does not own it`;
    yield finding("crd-not-owned", name, message, "add it to spec.customresourcedefinitions.owned");
  }
}

/** Checks the examples of the owned kinds, with which consoles fill forms. `broken` are the files with invalid CRDs. */
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
function schemaErrors(bundle: Bundle, example: Record<string, unknown>, broken: ReadonlySet<string>) {
  const crds = crdsOf(bundle).filter(({ file }) => !broken.has(file));
  const served = findCrdVersion(crds, String(example["apiVersion"]), example["kind"]);
  const schema = served?.get("schema", "openAPIV3Schema").value;
  if (!isObject(schema)) return [];
  const compiled = compileSchema(schema);
  return compiled.validate(compiled.applyDefaults(compiled.prune(example).object)).map(formatFieldError);
}
