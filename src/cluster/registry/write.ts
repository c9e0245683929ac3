import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { type WriteRequest, keyOf } from "./resource.ts";
import { systemUser } from "../contract/user.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { AdmissionRequest, Core, Operation } from "./core.ts";
import { removeDuplicateOwners } from "./object-meta.ts";

/** A write to one endpoint, from a handler or a controller. */
export interface Write extends WriteRequest {
  readonly core: Core;
  /** Part of a deletecollection: admission does not receive the name. */
  readonly ofCollection?: boolean;
  /** For endpoints whose body is of another kind, such as Scale. */
  readonly body?: WriteBody;
  /** Admission has already run for the body of the request. */
  readonly admitted?: boolean;
  /** The managed fields stay as they are: nobody owns the fields that the write sets, as those of a Binding. */
  readonly keepsManagers?: boolean;
  readonly fieldManager: string;
}

/** Converts between an object and a view of it, such as its Scale. */
export interface WriteBody {
  readonly show: (object: ApiObject) => ApiObject;
  /** Copies a changed view back into the object. */
  readonly take: (view: ApiObject, object: ApiObject) => ApiObject;
}

/** Makes a write of the server itself, without HTTP and authorization. Throws if the kind of the object is not served. */
export function ownWrite(
  core: Core,
  object: Pick<ApiObject, "apiVersion" | "kind" | "metadata">,
  { user = systemUser, fieldManager = "kube-apiserver", subresource = "" }: Partial<Write> = {},
): Write {
  const { group, version } = parseApiVersion(object.apiVersion);
  const resource = core.registry.findKind(group, object.kind);
  if (!resource) throw new TypeError(`no resource is served for ${object.apiVersion} ${object.kind}`);
  const { name = "", namespace = "" } = object.metadata;
  return {
    core,
    resource,
    version,
    subresource,
    namespace: resource.namespaced ? namespace : "",
    name,
    user,
    now: core.clock.now(),
    fieldManager,
    dryRun: false,
    options: {},
    warn: () => undefined,
  };
}

/** The storage key of the object that a write names. */
export function keyOfWrite(write: Write): string {
  return keyOf(write.resource, write.namespace, write.name);
}

/** The apiVersion in which the client writes. */
export function apiVersionOfWrite({ resource, version }: Write): string {
  return apiVersionOf({ group: resource.group, version });
}

/** The admission request of a write. */
export function admissionRequest(
  write: Write,
  operation: Operation,
  object: ApiObject | undefined,
  oldObject?: ApiObject,
): AdmissionRequest {
  const name = write.ofCollection ? "" : write.name;
  return {
    operation,
    object,
    oldObject,
    ...write,
    name: name || (object?.metadata.name ?? ""),
    options: optionsFor(operation, write.options),
  };
}

/** Converts the options of a patch to those of a create or update, without `force`. */
function optionsFor(operation: Operation, options: Write["options"]): Write["options"] {
  if (operation !== "CREATE" && operation !== "UPDATE") return options;
  const { force: _force, ...others } = options;
  return { ...others, kind: operation === "CREATE" ? "CreateOptions" : "UpdateOptions" };
}

/** Passes a body that is posted to a subresource through admission: a Binding, an Eviction, a TokenRequest. Returns the result. */
export async function admitBody(write: Write, sent: ApiObject): Promise<ApiObject> {
  const { admission } = write.core;
  removeDuplicateOwners(write, sent, "client");
  const type = write.resource.subresources.get(write.subresource)?.body;
  const body = type ? { ...sent, kind: type.kind, apiVersion: apiVersionOf(type) } : sent;
  const admitted = (await admission.mutate(admissionRequest(write, "CREATE", body)))!;
  await admission.validate(admissionRequest(write, "CREATE", admitted));
  return admitted;
}
