import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../storage/api-object.ts";
import { type Core, systemUser, type User } from "./core.ts";
import { keyOf, type Resource, type WriteContext } from "./resource.ts";

/** One write to one endpoint, whoever asks for it: a handler or a controller in the process. */
export interface Write {
  readonly core: Core;
  readonly resource: Resource;
  /** The version in which the client speaks. */
  readonly version: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for a create with generateName, and for deletecollection. */
  readonly name: string;
  /** One of many that a deletecollection deletes: admission is not told which one by name. */
  readonly ofCollection?: boolean;
  /** What stands for the object at an endpoint whose body is of another kind. */
  readonly body?: WriteBody;
  /** Admission has seen the request already, by the body that it came with. */
  readonly admitted?: boolean;
  readonly user: User;
  readonly fieldManager: string;
  readonly dryRun: boolean;
  /** The options object that admission webhooks get to see. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly warn: (message: string) => void;
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
    fieldManager,
    dryRun: false,
    options: {},
    warn: () => undefined,
  };
}

export function writeContext(write: Write): WriteContext {
  return {
    now: write.core.clock.now(),
    version: write.version,
    subresource: write.subresource,
    namespace: write.namespace,
    user: write.user,
    dryRun: write.dryRun,
    warn: write.warn,
  };
}

export function keyOfWrite(write: Write): string {
  return keyOf(write.resource, write.namespace, write.name);
}

export function apiVersionOfWrite({ resource, version }: Write): string {
  return resource.group === "" ? version : `${resource.group}/${version}`;
}
