/** What a request's path says, before anybody looks whether such a resource is served. */
export interface RequestInfo {
  /** False for discovery, health and other paths that name no resource. */
  readonly isResource: boolean;
  /** The verb that authorization knows: `get`, `list`, `watch`, `create` … or the lower-case method. */
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** What stands after the subresource, as in `/proxy/some/path`. */
  readonly rest: string;
}

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Below a namespace these are parts of the Namespace itself; everything else is a resource in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Reads `/api/v1/namespaces/ns/pods/name/status` and its like. Throws URIError for broken escapes. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const verb = verbs[method] ?? method.toLowerCase();
  const none = {
    verb,
    path,
    group: "",
    version: "",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    rest: "",
  };
  const core = parts[0] === "api";
  if ((!core && parts[0] !== "apis") || parts.length < (core ? 3 : 4)) return { ...none, isResource: false };

  const [group, version] = core ? ["", parts[1]!] : [parts[1]!, parts[2]!];
  const below = parts.slice(core ? 2 : 3);
  let watchPrefix = false;
  if (below[0] === "watch" && below.length > 1) {
    watchPrefix = true;
    below.shift();
  }
  let namespace = "";
  if (below[0] === "namespaces" && below.length > 1) {
    namespace = below[1]!;
    if (below.length > 2 && !namespaceSubresources.has(below[2]!)) below.splice(0, 2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = below;
  const inherited = resource === "namespaces" ? name : namespace;
  const info = {
    ...none,
    isResource: true,
    group,
    version,
    namespace: inherited,
    resource,
    name,
    subresource,
  };
  return { ...info, rest: rest.join("/"), verb: refineVerb(verb, name, query, watchPrefix) };
}

/** A GET without a name lists, one with `watch` watches; a DELETE without a name deletes a collection. */
function refineVerb(verb: string, name: string, query: URLSearchParams, watchPrefix: boolean): string {
  if (verb === "delete" && name === "") return "deletecollection";
  if (verb !== "get") return verb;
  if (watchPrefix || isTrue(query.get("watch"))) return name === "" || watchPrefix ? "watch" : "get";
  return name === "" ? "list" : "get";
}

/** Query flags count as set unless they say otherwise: `?watch`, `watch=1`, `watch=true`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value !== "false";
}
