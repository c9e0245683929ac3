import { copyJSON, isObject } from "@tsbuilder/apimachinery/json";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { invalid } from "@tsbuilder/apimachinery/errors";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { Core } from "../registry/core.ts";
import type { Resource, Verb } from "../registry/resource.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import {
  StatusError,
  badRequest,
  internalError,
  invalidObject,
  methodNotAllowed,
  methodNotSupported,
  nameMissing,
  notFound,
  resourceNotServed,
} from "../contract/status-error.ts";
import { handleGet } from "./get.ts";
import { handleList, listReply, readList } from "./list.ts";
import { fieldsWithoutSchema, mediaTypeOf, readObject, typeMismatch } from "./read-object.ts";
import { type SentPatch, applyPatch, checkPatchType, patchProblem, readPatch } from "./read-patch.ts";
import { negotiate } from "./representation.ts";
import { specialHandler } from "./special/index.ts";
import { type Target, allows, targetOf } from "./target.ts";
import { handleWatch } from "./watch.ts";
import { createObject } from "../registry/create-object.ts";
import { replyObject } from "./reply-object.ts";
import {
  type FieldValidation,
  deletionOf,
  fieldValidationOf,
  refuseForce,
  writeOf,
} from "./write-options.ts";
import { removeDuplicateOwners } from "../registry/owner-references.ts";
import { type UpdateSource, checkNamespace, checkPlace, updateObject } from "../registry/update-object.ts";
import { deleteObject } from "../registry/delete-object.ts";
import { jsonReply } from "../http/reply.ts";
import { readDeleteOptions, warnOfDeletion } from "./delete-options.ts";
import { pauseRegularly } from "../registry/pause-regularly.ts";
import { readListOptions } from "./list-options.ts";
import type { Write } from "../registry/write.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { handleApply } from "./apply.ts";

type VerbHandler = (context: RequestContext, target: Target) => Reply | Promise<Reply>;

const handlers: Readonly<Record<Verb, VerbHandler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

/** Handles PATCH. A patch without a resourceVersion is retried after a conflict. */
async function handlePatch(context: RequestContext, target: Target): Promise<Reply> {
  if (mediaTypeOf(context) === applyPatch) return handleApply(context, target);
  const patch = await readPatch(context, target);
  refuseForce(context.query);
  const validation = fieldValidationOf(context.query, "PatchOptions");
  const write = writeOf(context, target, "PatchOptions");
  const source: UpdateSource = {
    next: (current) => {
      if (!current) throw notFound(target.resource, target.name);
      const next = patch.apply(current);
      if (!patch.isStrategic) checkPatchedType(context, target, patch, { current, next }, validation);
      checkPatched(context, target, { patch, current, next }, validation);
      // The result of a strategic merge patch has the type of the object, whatever it says.
      if (patch.isStrategic) Object.assign(next, { apiVersion: current.apiVersion, kind: current.kind });
      checkMetadata(write, next);
      return next;
    },
    retry: true,
  };
  const { entry } = await updateObject(write, source);
  return replyObject(context, target, entry);
}

/** Refuses a patch that changes the kind or the API version, with Go's reasons for each. */
function checkPatchedType(
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

/** Refuses a patch that removes the metadata or the name, or changes the namespace. */
function checkMetadata(write: Write, next: ApiObject): void {
  const metadata: Partial<ApiObject["metadata"]> | null | undefined = next.metadata;
  if (metadata) checkNamespace(write, next);
  if (!metadata?.name) throw nameMissing(write.name);
}

/** Decodes the patched object like a request body, but reports errors as those of the patch. */
function checkPatched(
  { warnings }: RequestContext,
  { served }: Target,
  { patch, current, next }: { patch: SentPatch; current: ApiObject; next: ApiObject },
  validation: FieldValidation,
): void {
  try {
    if (patch.mark) served.schema?.unknownFields(patch.mark(current));
    const why = patch.isStrategic ? served.schema?.convertMerged?.(next) : undefined;
    if (why !== undefined) throw new DecodeError(why);
    const found = served.schema?.unknownFields(next) ?? [];
    const unknown = patch.isStrategic ? found.toSorted() : found;
    const problems = [...patch.problems, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
    if (validation === "Ignore" || problems.length === 0) return;
    if (validation === "Strict") throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
    for (const problem of problems) warnings.add(problem);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw patchProblem(patch, { current, next }, error.message);
  }
}

/** Deletes every object that a list with the same selectors returns, and responds with that list. */
async function handleDeleteCollection(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const listOptions = readListOptions(context.query, target);
  warnOfDeletion(context, target, options);
  const list = await readList(target, listOptions);
  const write = deletionOf(context, target, { dryRun: options.dryRun, options: options.raw });
  const entries = [];
  const pause = pauseRegularly();
  for (const entry of list.entries) {
    const { name, namespace } = entry.object.metadata;
    await pause();
    try {
      await deleteObject({ ...write, name: name!, namespace: namespace ?? "", ofCollection: true }, options);
      entries.push(entry);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 404) throw error;
    }
  }
  return listReply(context, target, { ...list, entries });
}

/** Deletes an object. Responds with a Status if it is gone, or the object if finalizers or its grace period keep it. */
async function handleDelete(context: RequestContext, target: Target): Promise<Reply> {
  const options = await readDeleteOptions(context, target);
  const write = deletionOf(context, target, { dryRun: options.dryRun, options: options.raw });
  warnOfDeletion(context, target, options);
  const { gone, entry } = await deleteObject(write, options);
  if (!gone || target.resource.strategy.returnsDeleted)
    return replyObject(context, target, entry, options.orphanDependents === false ? 202 : 200);
  const { resource, name } = target;
  return jsonReply({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(resource.group !== "" && { group: resource.group }),
      kind: resource.plural,
      uid: entry.object.metadata.uid,
    },
  });
}

/** Handles PUT: replaces an object, or creates it if its kind allows that. */
async function handleUpdate(context: RequestContext, target: Target): Promise<Reply> {
  const write = writeOf(context, target, "UpdateOptions");
  const object = await readObject(context, target, "UpdateOptions");
  if (!object.metadata.name) throw nameMissing(target.name);
  checkPlace(write, object);
  removeDuplicateOwners(write, object, "client");
  const { entry, created } = await updateObject(write, {
    next: () => copyJSON(object),
    uidIsCondition: true,
    createMissing: target.resource.strategy.createOnUpdate,
    retry: !object.metadata.resourceVersion,
  });
  return replyObject(context, target, entry, created ? 201 : 200);
}

/** Handles POST: creates an object. */
async function handleCreate(context: RequestContext, target: Target): Promise<Reply> {
  // A name in the path, which custom kinds allow, means nothing.
  const collection = { ...target, name: "" };
  const write = writeOf(context, collection, "CreateOptions");
  const object = await readObject(context, collection, "CreateOptions");
  return replyObject(context, collection, await createObject(write, object), 201);
}

const writes = new Set<Verb>(["create", "update", "patch", "delete", "deletecollection"]);

/** Passes a request for a resource to the handler of its verb. */
export async function dispatch(core: Core, context: RequestContext): Promise<Reply> {
  const target = targetOf(core, context);
  const verb = context.info.verb as Verb;
  if (isCreatedOnly(target) && !isCollection(target)) throw resourceNotServed();
  const handler = specialHandler(target) ?? handlers[verb];
  if (!handler || !allows(target, verb) || isWrongPath(verb, target)) throw refusal(context, target);
  // The paths of built-in kinds know no HEAD; those of CRDs take it for a GET.
  if (context.method === "HEAD" && !target.resource.custom) throw methodNotAllowed();
  // A client that can't read the response is refused before anything else is checked.
  negotiate(context.request.headers.accept, target, verb === "watch" ? "list" : verb);
  if (writes.has(verb)) await target.resource.load?.();
  const { deprecation } = target.served;
  if (deprecation) context.warnings.add(deprecation);
  return handler(context, target);
}

/** The paths of built-in kinds know their methods; for custom kinds, it is the verb that counts. */
function refusal(context: RequestContext, target: Target): StatusError {
  const { resource } = target;
  if (!resource.custom) return methodNotAllowed();
  const { verb } = context.info;
  if (verb === "update" && allows(target, "update")) return badRequest("name must be provided");
  if (verb === "patch" && allows(target, "patch")) {
    checkPatchType(mediaTypeOf(context), target);
    return badRequest("name must be provided");
  }
  return methodNotSupported(resource, context.method === "OPTIONS" ? "" : verb);
}

/** POST goes to collections and subresources; PUT and PATCH to objects. Across namespaces, there are only reads. */
function isWrongPath(verb: Verb, target: Target): boolean {
  const { resource, name, namespace, subresource } = target;
  // What is behind the collection of a custom kind is not read: the object names itself.
  if (verb === "create" && resource.custom) return resource.namespaced !== (namespace !== "");
  if (verb === "create") return subresource === "" && !isCollection(target);
  if (verb === "deletecollection") return !isCollection(target);
  return name === "" && (verb === "update" || verb === "patch");
}

function isCollection({ resource, namespace, name }: Target): boolean {
  return name === "" && resource.namespaced === (namespace !== "");
}

/** Reviews and bindings are not stored: their objects have no paths. */
function isCreatedOnly({ resource, subresource }: Target): boolean {
  return subresource === "" && resource.verbs.every((verb) => verb === "create");
}
