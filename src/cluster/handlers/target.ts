import { forbidden, notSupported, tooLong } from "@tsbuilder/apimachinery/errors";
import type { Core } from "../registry/core.ts";
import type { ApiRequest, ResourceVersion, SubresourceInfo, Verb } from "../registry/resource.ts";
import { type RequestContext, isTrue } from "../http/request-context.ts";
import { badRequest, invalidOptions, notFound, resourceNotServed } from "../contract/status-error.ts";
import type { Write } from "../registry/write.ts";

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

export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** Makes the Write of a create, update or patch from the options in its query. */
export function writeOf(context: RequestContext, target: Target, kind: string): Write {
  const { query } = context;
  const dryRun = readDryRun(query.getAll("dryRun"), kind);
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > 128) throw invalidOptions(kind, tooLong("fieldManager", 128));
  const options = {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(dryRun && { dryRun: ["All"] }),
    ...(fieldManager && { fieldManager }),
    ...(query.get("fieldValidation") && { fieldValidation: query.get("fieldValidation") }),
    ...(query.get("force") && { force: isTrue(query.get("force")) }),
  };
  return writeWith(context, target, { dryRun, options }, fieldManager);
}

/** The Write of a request whose options have been read. Default: the field manager is the program in the user agent. */
export function writeWith(
  { request, warnings }: RequestContext,
  target: Target,
  { dryRun, options }: Pick<Write, "dryRun" | "options">,
  fieldManager = "",
): Write {
  return {
    now: target.core.clock.now(),
    fieldManager: fieldManager || managerOfAgent(request.headers["user-agent"]),
    dryRun,
    options,
    warn: (message) => void warnings.add(message),
    ...target,
  };
}

/** How unknown and duplicate fields are handled. Default: Warn. */
export function fieldValidationOf(query: URLSearchParams, kind: string): FieldValidation {
  const value = query.get("fieldValidation") || "Warn";
  if (value === "Strict" || value === "Warn" || value === "Ignore") return value;
  throw invalidOptions(kind, notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"]));
}

export function readDryRun(values: readonly string[], kind: string): boolean {
  if (values.length === 0) return false;
  if (values.every((value) => value === "All")) return true;
  throw invalidOptions(kind, notSupported("dryRun", values, ["All"]));
}

/** Only server-side apply may take fields from other managers. */
export function refuseForce(query: URLSearchParams): void {
  if (!query.has("force")) return;
  throw invalidOptions("PatchOptions", forbidden("force", "may not be specified for non-apply patch"));
}

/** The program's name in a user agent. */
function managerOfAgent(agent: string | undefined): string {
  const name = (agent ?? "").split("/")[0]!.replace(/[^\x20-\x7e]/g, "");
  return (name || "unknown").slice(0, 128);
}
