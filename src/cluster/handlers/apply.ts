import { required } from "@tsbuilder/apimachinery/errors";
import { type JSONObject, copyJSON } from "@tsbuilder/apimachinery/json";
import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { PatchError } from "@tsbuilder/apimachinery/patch";
import {
  ApplyConflictError,
  SchemaMismatchError,
  gvkOf,
  serverSideApply,
  subjectOf,
} from "@tsbuilder/apimachinery/patch/apply";
import { endpointOf, findRemovedVersion } from "../registry/field-manager.ts";
import { setNamespace } from "../registry/create-object.ts";
import { canCreate, checkPlace, updateObject } from "../registry/update-object.ts";
import type { Write } from "../registry/write.ts";
import { type Reply, type RequestContext, isTrue } from "../http/request-context.ts";
import {
  StatusError,
  badRequest,
  conflict,
  invalidOptions,
  nameMissing,
  notFound,
} from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { servesSince } from "../contract/version.ts";
import { explainYAML, findDuplicateKeys, parseGoYAML } from "../codec/go-yaml.ts";
import { findFieldProblems, isTooDeep } from "../codec/go-json.ts";
import { checkFields, duplicateKeys, noMap } from "./read-object.ts";
import { replyObject } from "./representation.ts";
import { type FieldValidation, type Target, fieldValidationOf, writeOf } from "./target.ts";

/** Handles server-side apply. The body holds all fields that the manager wants to own. */
export async function handleApply(context: RequestContext, target: Target): Promise<Reply> {
  const write = { applied: true, ...writeOf(context, target, "PatchOptions") };
  const { resource, version } = target;
  const apiVersion = apiVersionOf({ group: resource.group, version });
  const validation = fieldValidationOf(context.query, "PatchOptions");
  const { applied, force, text } = await readApply(context, { apiVersion, kind: resource.kind });
  const { entry, created } = await updateObject(write, {
    async next(current) {
      const next = await applyTo(write, current, applied, force);
      checkConvertible(write, target, applied, next);
      // The apply has refused wrong types; this finds the fields that the schema prunes.
      checkFields(context, target, applied, "", validation);
      checkDuplicates(context, applied, text, validation);
      const { uid } = next.metadata;
      if (!current && uid) {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(resource, write.name, why);
      }
      setNamespace(write, next);
      if (!next.metadata.name) throw nameMissing(target.name);
      checkPlace(write, next);
      return next;
    },
    createMissing: true,
    retry: !applied.metadata.resourceVersion,
  });
  return replyObject(context, target, entry, created ? 201 : 200);
}

/** Reads the body of an apply. Its kind must be the expected one. */
export async function readApply(
  { query, request }: RequestContext,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): Promise<{ applied: ApiObject; force: boolean; text: string }> {
  if (!query.get("fieldManager"))
    throw invalidOptions("PatchOptions", required("fieldManager", "is required for apply patch"));
  const text = (await request.readBody()).toString("utf8");
  const value = parseApplied(text) ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw badRequest(
      `error decoding ${bodyName()}: error unmarshaling JSON: while decoding JSON: ${noMap(value)}`,
    );
  }
  const object = value as ApiObject;
  if (object.apiVersion !== apiVersion || object.kind !== kind) {
    const { group, version: sent } = parseApiVersion(stringOrEmpty(object.apiVersion));
    throw badRequest(`invalid object type: ${group}/${sent}, Kind=${stringOrEmpty(object.kind)}`);
  }
  object.metadata ??= {};
  return { applied: object, force: isTrue(query.get("force")), text };
}

/** The name of an apply's body in the server's messages. */
const bodyName = (): string => (servesSince("1.37") ? "patch" : "YAML");

/** Refuses duplicate fields of the body, or warns about them. */
function checkDuplicates(
  { warnings }: RequestContext,
  applied: ApiObject,
  text: string,
  validation: FieldValidation,
): void {
  // Canonical JSON, which most clients send, has no duplicate keys.
  if (validation === "Ignore" || JSON.stringify(applied) === text) return;
  // Avoids the slow YAML parser for JSON without duplicate fields.
  if (text.startsWith("{") && findFieldProblems(text, []).length === 0) return;
  const duplicates = findDuplicateKeys(text);
  if (duplicates.length === 0) return;
  if (validation === "Strict") {
    const why = `error converting YAML to JSON: ${duplicateKeys(duplicates)}`;
    throw badRequest(`error strict decoding ${bodyName()}: ${why}`);
  }
  for (const line of duplicates) warnings.add(line);
}

/** A `kind` or `apiVersion` that is not a string counts as missing. */
function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses JSON or YAML. Most clients send JSON, which a JSON parser reads much faster. */
function parseApplied(text: string): unknown {
  try {
    if (text.startsWith("{") && !isTooDeep(text)) return JSON.parse(text);
  } catch {
    // Not JSON: a flow mapping of YAML begins with a brace, too.
  }
  try {
    return parseGoYAML(text);
  } catch (error) {
    throw badRequest(
      `error decoding ${bodyName()}: error converting YAML to JSON: ${explainYAML(error, text)}`,
    );
  }
}

/**
 * Applies an object to the stored one, and returns the result. `rephrase` rewrites conflicts in the terms of the request's
 * body, if that is a Scale. Throws a 404 if the object is missing and can't be created.
 */
export async function applyTo(
  write: Write,
  current: ApiObject | undefined,
  applied: ApiObject,
  force: boolean,
  rephrase = (message: string): string => message,
): Promise<ApiObject> {
  if (!current && !canCreate(write)) throw notFound(write.resource, write.name);
  const removed = findRemovedVersion(write, current);
  if (removed !== undefined)
    throw new StatusError(500, undefined, `request to convert CR to an invalid group/version: ${removed}`);
  try {
    const next = await serverSideApply(endpointOf(write), {
      live: current as JSONObject | undefined,
      applied: applied as unknown as JSONObject,
      manager: write.fieldManager,
      force,
      time: write.core.clock.now(),
    });
    return copyContent(next) as unknown as ApiObject;
  } catch (error) {
    throw statusOf(error, rephrase);
  }
}

/** Copies an object but for its `managedFields`, which nobody changes in place: sets of fields are cached by identity. */
function copyContent({ metadata, ...content }: JSONObject): JSONObject {
  const { managedFields, ...rest } = metadata as JSONObject;
  return {
    ...copyJSON(content),
    metadata: { ...copyJSON(rest), ...(managedFields !== undefined && { managedFields }) },
  };
}

/** Refuses values that the schema allows, but Go can't decode: times, quantities, fractions. */
function checkConvertible(write: Write, { served }: Target, applied: ApiObject, next: ApiObject): void {
  // The result does not have the managedFields of the request, which must be checked, too.
  const [why] = [next, applied].flatMap((object) => served.schema?.convertMerged?.(object) ?? []);
  if (why === undefined) return;
  const endpoint = endpointOf(write);
  const subject = subjectOf(endpoint, applied as unknown as JSONObject);
  const gvk = gvkOf(endpoint);
  const problem = `unable to convert unstructured object to ${gvk}: ${why}`;
  const message = `failed to convert new object ${subject} to proper version: ${problem}`;
  throw new StatusError(500, undefined, message);
}

/** Converts an error of server-side apply to a status; returns any other error. */
function statusOf(error: unknown, rephrase: (message: string) => string): unknown {
  if (error instanceof ApplyConflictError) {
    const causes = error.causes.map((cause) => ({
      ...cause,
      message: rephrase(cause.message),
      field: rephrase(cause.field),
    }));
    return new StatusError(409, "Conflict", rephrase(error.message), { causes });
  }
  if (error instanceof SchemaMismatchError) return new StatusError(500, undefined, error.message);
  if (error instanceof PatchError) return badRequest(error.message);
  return error;
}
