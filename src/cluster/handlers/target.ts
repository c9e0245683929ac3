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

/** Resolves the path of a request. Throws a 404 if the resource or subresource is not served. */
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

/** Returns true if the resource, or the subresource of the path, has a verb. */
export function allows({ resource, subresourceInfo }: Target, verb: Verb): boolean {
  return (subresourceInfo ?? resource).verbs.includes(verb);
}

/** The handling of unknown and duplicate fields in a body. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

const longestManager = 128;

/** Makes the Write of a create, update or patch from the options in its query. `kind` is that of the options: `PatchOptions`. */
export function writeOf(context: RequestContext, target: Target, kind: string): Write {
  const { query } = context;
  const dryRun = readDryRun(query.getAll("dryRun"), kind);
  const fieldManager = query.get("fieldManager") ?? "";
  if (fieldManager.length > longestManager)
    throw invalidOptions(kind, tooLong("fieldManager", longestManager));
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

/** Makes the Write of a request whose options have been read. The default field manager is the program in the user agent. */
export function writeWith(
  { request, warnings }: RequestContext,
  target: Target,
  { dryRun, options }: Pick<Write, "dryRun" | "options">,
  fieldManager = "",
): Write {
  return {
    now: target.core.clock.now(),
    fieldManager: fieldManager || programOf(request.headers["user-agent"]),
    dryRun,
    options,
    warn: (message) => void warnings.add(message),
    ...target,
  };
}

/** Reads the `fieldValidation` of a query. Default: Warn. */
export function fieldValidationOf(query: URLSearchParams, kind: string): FieldValidation {
  const value = query.get("fieldValidation") || "Warn";
  if (value === "Strict" || value === "Warn" || value === "Ignore") return value;
  throw invalidOptions(kind, notSupported("fieldValidation", value, ["", "Ignore", "Strict", "Warn"]));
}

/** Reads the values of `dryRun`, of which only `All` is known. */
export function readDryRun(values: readonly string[], kind: string): boolean {
  if (values.length === 0) return false;
  if (values.every((value) => value === "All")) return true;
  throw invalidOptions(kind, notSupported("dryRun", values, ["All"]));
}

/** Throws if a patch other than server-side apply has `force`: only an apply takes fields from other managers. */
export function refuseForce(query: URLSearchParams): void {
  if (!query.has("force")) return;
  throw invalidOptions("PatchOptions", forbidden("force", "may not be specified for non-apply patch"));
}

/** Returns the name of the program in a user agent, as client-go's default field manager. */
function programOf(userAgent = ""): string {
  const name = userAgent.split("/")[0]!.replace(/[^\x20-\x7e]/g, "");
  return (name || "unknown").slice(0, longestManager);
}
