import { invalid } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import { internalError, invalidObject, nameMissing, type StatusError } from "../contract/status-error.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Core } from "../registry/core.ts";
import type { Resource } from "../registry/resource.ts";
import { fieldsWithoutSchema, typeMismatch } from "./read-object.ts";
import { patchProblem, type SentPatch } from "./read-patch.ts";
import type { Target } from "./target.ts";
import type { FieldValidation } from "./write-options.ts";

/** Refuses a patch that changes the kind or the API version, with Go's reasons for each. */
export function checkPatchedType(
  context: RequestContext,
  target: Target,
  patch: SentPatch,
  states: { current: ApiObject; next: ApiObject },
  validation: FieldValidation,
): void {
  const { current, next } = states;
  if (next.apiVersion === current.apiVersion && next.kind === current.kind) return;
  const mismatch = typeMismatch(next);
  if (mismatch !== undefined) throw patchProblem(patch, states, mismatch);
  if (target.resource.custom) throw otherCustomType(context, target, patch, states);
  next.kind ||= current.kind;
  if (!next.apiVersion) throw missingVersion(context, target, patch, states, validation);
  if (next.apiVersion === current.apiVersion && next.kind === current.kind) return;
  throw patchProblem(patch, states, conversionError(target.core, target.resource, next));
}

function otherCustomType(
  { warnings }: RequestContext,
  { resource, name }: Target,
  patch: SentPatch,
  states: { current: ApiObject; next: ApiObject },
): StatusError {
  const { current, next } = states;
  if (!next.kind) return patchProblem(patch, states, `Object 'Kind' is missing in '${goJSON(next)}'`);
  if (!next.apiVersion)
    return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const { group } = parseApiVersion(next.apiVersion);
  if (next.apiVersion !== current.apiVersion) {
    for (const field of fieldsWithoutSchema(resource, { group, kind: next.kind }, next))
      warnings.add(`unknown field ${JSON.stringify(field)}`);
  }
  const errors = (["apiVersion", "kind"] as const)
    .filter((field) => next[field] !== current[field])
    .map((field) => invalid(field, next[field], `must be ${current[field]}`));
  return invalidObject({ ...resource, group, kind: next.kind }, name, errors);
}

/** JSON with the keys in order, as Go writes maps. */
function goJSON(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** A built-in object without a version is read as Go's internal type, which has none of the fields, the name included. */
function missingVersion(
  { warnings }: RequestContext,
  { name }: Target,
  patch: SentPatch,
  states: { current: ApiObject; next: ApiObject },
  validation: FieldValidation,
): StatusError {
  const problems = fieldsOf(states.next).map((field) => `unknown field ${JSON.stringify(field)}`);
  if (validation === "Strict")
    return patchProblem(patch, states, `strict decoding error: ${problems.join(", ")}`);
  if (validation === "Warn") for (const problem of problems) warnings.add(problem);
  return nameMissing(name);
}

function fieldsOf(object: ApiObject): readonly string[] {
  return Object.keys(object)
    .filter((field) => field !== "apiVersion" && field !== "kind")
    .toSorted();
}

function conversionError({ registry }: Core, resource: Resource, { apiVersion, kind }: ApiObject): string {
  const { group, version } = parseApiVersion(apiVersion ?? "");
  const known = registry.findKind(group, kind ?? "");
  if (!known?.versions.some(({ name }) => name === version)) {
    return `no kind ${JSON.stringify(kind ?? "")} is registered for version ${JSON.stringify(apiVersion ?? "")} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const internal = resource.group === "" ? "core" : resource.group.split(".")[0]!;
  return `converting (${version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`;
}
