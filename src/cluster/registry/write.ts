import type { WriteRequest } from "./api-request.ts";
import { systemUser } from "../contract/user.ts";
import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Core } from "./core.ts";
import { keyOf } from "./resource.ts";

/** One write to one endpoint, whoever asks for it: a handler or a controller in the process. */
export interface Write extends WriteRequest {
  readonly core: Core;
  /** One of many that a deletecollection deletes: admission is not told which one by name. */
  readonly ofCollection?: boolean;
  /** What stands for the object at an endpoint whose body is of another kind. */
  readonly body?: WriteBody;
  /** Admission has seen the request already, by the body that it came with. */
  readonly admitted?: boolean;
  readonly fieldManager: string;
}

/** A view of an object, such as its Scale. */
export interface WriteBody {
  readonly show: (object: ApiObject) => ApiObject;
  /** Brings a changed view back into the object. */
  readonly take: (view: ApiObject, object: ApiObject) => ApiObject;
}

/** A write of the server's own, past HTTP and authorization, for an object of a kind that is served. */
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
