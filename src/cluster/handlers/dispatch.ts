import type { Core } from "../registry/core.ts";
import type { Verb } from "../registry/resource.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import {
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  resourceNotServed,
  type StatusError,
} from "../contract/status-error.ts";
import { handleCreate } from "./create.ts";
import { handleDeleteCollection } from "./delete-collection.ts";
import { handleDelete } from "./delete.ts";
import { handleGet } from "./get.ts";
import { handleList } from "./list.ts";
import { handlePatch } from "./patch.ts";
import { mediaTypeOf } from "./read-object.ts";
import { checkPatchType } from "./read-patch.ts";
import { negotiate } from "./representation.ts";
import { specialHandler } from "./special/index.ts";
import { allows, type Target, targetOf } from "./target.ts";
import { handleUpdate } from "./update.ts";
import { handleWatch } from "./watch.ts";

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
