import type { WriteRequest } from "./api-request.ts";
import { systemUser } from "../contract/user.ts";
import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Core } from "./core.ts";
import { keyOf } from "./resource.ts";

/** A write to one endpoint, from a handler or a controller. */
export interface Write extends WriteRequest {
  readonly core: Core;
  /** Part of a deletecollection: admission does not receive the name. */
  readonly ofCollection?: boolean;
  /** For endpoints whose body is of another kind, such as Scale. */
  readonly body?: WriteBody;
  /** Admission has already run, for the body of the request. */
  readonly admitted?: boolean;
  readonly fieldManager: string;
}

/** A view of an object, such as its Scale. */
export interface WriteBody {
  readonly show: (object: ApiObject) => ApiObject;
  /** Copies a changed view back into the object. */
  readonly take: (view: ApiObject, object: ApiObject) => ApiObject;
}

/** The server's own write of an object, without HTTP and authorization. Its kind must be served. */
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

export function keyOfWrite(write: Write): string {
  return keyOf(write.resource, write.namespace, write.name);
}

export function apiVersionOfWrite({ resource, version }: Write): string {
  return apiVersionOf({ group: resource.group, version });
}
