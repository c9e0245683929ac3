import type { Core } from "../registry/core.ts";
import type { Endpoint } from "../registry/registry.ts";
import type { SubresourceInfo, Verb } from "../registry/resource.ts";
import type { RequestContext } from "../server/request-context.ts";
import { badRequest, notFound, resourceNotServed } from "../status/index.ts";

/** The resource, version and object that a request names. */
export interface Target extends Endpoint {
  readonly core: Core;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly subresourceInfo: SubresourceInfo | undefined;
}

/** Finds what a request names; what is not served answers 404. */
export function targetOf(core: Core, { info }: RequestContext): Target {
  const endpoint = core.registry.endpoint(info.group, info.version, info.resource);
  if (!endpoint) throw resourceNotServed();
  const { resource } = endpoint;
  const subresourceInfo = info.subresource ? resource.subresources.get(info.subresource) : undefined;
  if (info.subresource && !subresourceInfo) {
    const could = resource.custom && ["status", "scale"].includes(info.subresource);
    throw could ? notFound(resource, info.name) : resourceNotServed();
  }
  if (!resource.namespaced && info.namespace !== "" && info.resource !== "namespaces")
    throw resourceNotServed();
  if (resource.namespaced && info.name !== "" && info.namespace === "") throw resourceNotServed();
  if (info.name.includes("%")) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: may not contain '%'`);
  }
  return {
    ...endpoint,
    core,
    namespace: resource.namespaced ? info.namespace : "",
    name: info.name,
    subresource: info.subresource,
    subresourceInfo,
  };
}

export function allows({ resource, subresourceInfo }: Target, verb: Verb): boolean {
  return (subresourceInfo ?? resource).verbs.includes(verb);
}
