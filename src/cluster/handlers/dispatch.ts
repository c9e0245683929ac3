// The verbs of resources. `dispatch()` finds the resource of a path (`target.ts`) and passes the request to the handler
// of its verb: create and update are in this file, the others in `list.ts`, `watch.ts`, `patch.ts`, `apply.ts` and
// `delete.ts`. `read-object.ts` decodes bodies, `representation.ts` writes responses. `special` has the endpoints whose
// body is not the stored object; the table `specialEndpoints` names their handlers. `connect` passes on what is for nodes.

import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { Core } from "../registry/core.ts";
import type { Verb } from "../registry/resource.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import {
  type StatusError,
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  nameMissing,
  qualifiedName,
  resourceNotServed,
} from "../contract/status-error.ts";
import { handleGet, handleList } from "./list.ts";
import { mediaTypeOf, readObject } from "./read-object.ts";
import { checkPatchType, handlePatch } from "./patch.ts";
import { negotiate, replyObject } from "./representation.ts";
import { type Target, allows, targetOf, writeOf } from "./target.ts";
import { handleWatch } from "./watch.ts";
import { createObject } from "../registry/create-object.ts";
import { removeDuplicateOwners } from "../registry/object-meta.ts";
import { checkPlace, updateObject } from "../registry/update-object.ts";
import { handleDelete, handleDeleteCollection } from "./delete.ts";
import { handleConnect, isConnect } from "./connect/connect.ts";
import { handleReview, reviews } from "./special/reviews.ts";
import { handleBinding, handleLegacyBinding } from "./special/binding.ts";
import { handleEviction } from "./special/eviction.ts";
import { handleScale } from "./special/scale.ts";
import { handleToken } from "./special/token.ts";

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

const writeVerbs = new Set<Verb>(["create", "update", "patch", "delete", "deletecollection"]);

/** Passes a request for a resource to the handler of its verb. */
export async function dispatch(core: Core, context: RequestContext): Promise<Reply> {
  const target = targetOf(core, context);
  const verb = context.info.verb as Verb;
  if (isCreatedOnly(target) && !isCollection(target)) throw resourceNotServed();
  const handler = findSpecialHandler(target) ?? handlers[verb];
  // A proxied server may take any method.
  const isProxied = handler === handleConnect && target.subresource === "proxy";
  if (!handler || !(isProxied || allows(target, verb)) || isWrongPath(verb, target))
    throw unservedVerb(context, target);
  // Paths of built-in kinds have no HEAD, but for proxies; those of custom resources handle it as GET.
  if (context.method === "HEAD" && !target.resource.custom && target.subresource !== "proxy")
    throw methodNotAllowed();
  // A client that can't read the response gets 406 before anything else is checked.
  if (handler !== handleConnect)
    negotiate(context.request.headers.accept, target, verb === "watch" ? "list" : verb);
  if (writeVerbs.has(verb)) await target.resource.load?.();
  const { deprecation } = target.served;
  if (deprecation) context.warnings.add(deprecation);
  return handler(context, target);
}

/** The handlers of endpoints whose body is not the stored object. */
const specialEndpoints: Readonly<Record<string, VerbHandler>> = {
  bindings: handleLegacyBinding,
  "pods/binding": handleBinding,
  "pods/eviction": handleEviction,
  "serviceaccounts/token": handleToken,
};

/** Finds the handler of an endpoint whose body is not the stored object; undefined for all other endpoints. */
function findSpecialHandler({ resource, subresource }: Target): VerbHandler | undefined {
  if (subresource === "scale") return handleScale;
  if (isConnect(subresource) && !resource.custom) return handleConnect;
  const name = qualifiedName(resource);
  const review = subresource === "" ? reviews[name] : undefined;
  if (review) return (context, target) => handleReview(context, target, review);
  return specialEndpoints[subresource === "" ? name : `${name}/${subresource}`];
}

/** Returns the error for an unserved verb: paths of built-in kinds refuse the method, custom resources the verb. */
function unservedVerb(context: RequestContext, target: Target): StatusError {
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

/** Returns true for a POST, PUT, PATCH or deletecollection whose path is not that of a collection or object. */
function isWrongPath(verb: Verb, target: Target): boolean {
  const { resource, name, namespace, subresource } = target;
  // Custom resources ignore the rest of the path behind the collection.
  if (verb === "create" && resource.custom) return resource.namespaced !== (namespace !== "");
  if (verb === "create") return subresource === "" && !isCollection(target);
  if (verb === "deletecollection") return !isCollection(target);
  return name === "" && (verb === "update" || verb === "patch");
}

function isCollection({ resource, namespace, name }: Target): boolean {
  return name === "" && resource.namespaced === (namespace !== "");
}

/** Returns true for reviews and bindings: they are not stored, so there are no paths of their objects. */
function isCreatedOnly({ resource, subresource }: Target): boolean {
  return subresource === "" && resource.verbs.every((verb) => verb === "create");
}

async function handleCreate(context: RequestContext, target: Target): Promise<Reply> {
  // Custom resources allow a name in the path of a POST, and ignore it.
  const collection = { ...target, name: "" };
  const write = writeOf(context, collection, "CreateOptions");
  const object = await readObject(context, collection, "CreateOptions");
  return replyObject(context, collection, await createObject(write, object), 201);
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
