import { type FieldError, invalid, notSupported, required } from "../errors/index.ts";
import { checkLabel1035, checkSubdomain } from "../naming/index.ts";
import { nodesOf } from "../schema/index.ts";
import type { CRDConversion, CRDNames, CRDSpec, CRDVersion } from "./custom-resource-definition.ts";
import { missingSchemas, type Problems, sharedProblems, versionProblems } from "./validate-versions.ts";

/** Validates a CRD's `spec.conversion`; only a caller that calls conversion webhooks needs it. */
export type CheckConversion = (field: string, conversion: CRDConversion) => Iterable<FieldError>;

/**
 * Validates a new CRD as the API server does: its names, its versions, and every schema with its CEL rules. Updates
 * are validated without metadata. Call `defaultNames()` first.
 */
export function validateCRD(crd: CRD, checkConversion: CheckConversion = () => []): FieldError[] {
  if (!crd.spec) return [required("spec.group"), required("spec.scope"), required("spec.versions")];
  return [...crdProblems(crd.metadata, crd.spec, checkConversion)];
}

interface CRD {
  readonly metadata: { readonly name?: string | undefined; readonly generateName?: string | undefined };
  readonly spec?: CRDSpec;
}

function* crdProblems(metadata: CRD["metadata"], spec: CRDSpec, checkConversion: CheckConversion): Problems {
  for (const field of ["generateName", "name"] as const) {
    const name = metadata[field];
    if (!name || name === `${spec.names?.plural}.${spec.group}`) continue;
    yield invalid(`metadata.${field}`, name, `must be spec.names.plural+"."+spec.group`);
  }
  const { group = "", versions = [] } = spec as Partial<CRDSpec>;
  const names: Partial<CRDNames> = spec.names ?? {};
  const problems = checkSubdomain(group);
  if (group === "") yield required("spec.group");
  else if (problems.length > 0) yield invalid("spec.group", group, problems.join(","));
  else if (!group.includes(".")) {
    yield invalid("spec.group", group, "should be a domain with at least one dot");
  }
  if (!spec.scope) yield required("spec.scope");
  else if (!scopes.includes(spec.scope)) yield notSupported("spec.scope", spec.scope, scopes);
  yield* missingSchemas(versions);
  if (spec.preserveUnknownFields && versions.some(hasDefaults)) {
    const detail = "must be false in order to use defaults in the schema";
    yield invalid("spec.preserveUnknownFields", true, detail);
  }
  yield* versionProblems(spec.versions);
  // The API server copies the name of the first version to spec.version.
  yield* label("spec.version", versions[0]?.name);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) yield required(`spec.names.${name}`);
  }
  yield* nameProblems("spec.names", names);
  yield* sharedProblems(versions);
  if (spec.conversion) yield* checkConversion("spec.conversion", spec.conversion);
  if (spec.preserveUnknownFields) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    yield invalid("spec.preserveUnknownFields", true, detail);
  }
}

function hasDefaults({ schema }: CRDVersion): boolean {
  return [...nodesOf(schema?.openAPIV3Schema ?? {})].some((node) => node.default !== undefined);
}

const scopes: readonly string[] = ["Cluster", "Namespaced"];

/** Validates the names in a CRD's spec, or those in its status, of which none is required. */
export function* nameProblems(field: string, names: Partial<CRDNames>): Problems {
  for (const name of ["plural", "singular"] as const) yield* label(`${field}.${name}`, names[name]);
  for (const name of ["kind", "listKind"] as const) {
    const value = names[name] ?? "";
    const reasons = value === "" ? [] : checkLabel1035(value.toLowerCase());
    if (reasons.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    yield invalid(`${field}.${name}`, value, detail);
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) {
    yield* label(`${field}.shortNames[${index}]`, name);
  }
  if (names.kind && names.kind === names.listKind) {
    yield invalid(`${field}.listKind`, names.listKind, "kind and listKind may not be the same");
  }
  for (const [index, name] of (names.categories ?? []).entries()) {
    yield* label(`${field}.categories[${index}]`, name);
  }
}

function* label(field: string, name = ""): Problems {
  const reasons = name === "" ? [] : checkLabel1035(name);
  if (reasons.length > 0) yield invalid(field, name, reasons.join(","));
}
