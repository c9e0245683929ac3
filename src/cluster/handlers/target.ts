import type { Core } from "../registry/core.ts";
import type { ApiRequest, ResourceVersion, SubresourceInfo, Verb } from "../registry/resource.ts";
import type { RequestContext } from "../http/request-context.ts";
import { badRequest, notFound, resourceNotServed } from "../contract/status-error.ts";

/** An API request with the resource, version and subresource that its path names. */
export interface Target extends ApiRequest {
  readonly core: Core;
  readonly served: ResourceVersion;
  readonly subresourceInfo: SubresourceInfo | undefined;
}

/** Resolves the path of a request. Throws a 404 if the resource is not served. */
export function targetOf(core: Core, { info, user }: RequestContext): Target {
  const endpoint = core.registry.endpoint(info.group, info.version, info.resource);
  if (!endpoint) throw resourceNotServed();
  const { resource, version: served } = endpoint;
  const subresources = served.subresources ?? resource.subresources;
  const subresourceInfo = info.subresource ? subresources.get(info.subresource) : undefined;
  if (info.subresource && !subresourceInfo) {
    throw resource.custom ? notFound(resource, info.name) : resourceNotServed();
  }
  if (!resource.namespaced && info.namespace !== "" && info.resource !== "namespaces")
    throw resourceNotServed();
  if (resource.namespaced && info.name !== "" && info.namespace === "") throw resourceNotServed();
  if (info.name.includes("%")) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: may not contain '%'`);
  }
  return {
    core,
    resource,
    served,
    version: served.name,
    namespace: resource.namespaced ? info.namespace : "",
    name: info.name,
    subresource: info.subresource,
    subresourceInfo,
    user,
  };
}

export function allows({ resource, subresourceInfo }: Target, verb: Verb): boolean {
  return (subresourceInfo ?? resource).verbs.includes(verb);
}
