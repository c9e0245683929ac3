import { type Attributes, pathAttributes, resourceAttributes } from "../contract/authorizer.ts";

/** A parsed request path: the attributes to authorize, whether such a resource is served or not. */
export interface RequestInfo extends Attributes {
  /** The path below the subresource, as in `/proxy/some/path`. */
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

/** Below a namespace these are subresources of the Namespace itself; everything else is a resource in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Parses paths such as `/api/v1/namespaces/ns/pods/name/status`. Throws URIError for malformed escapes. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const encoded = path.split("/").filter((part) => part !== "");
  const parts = path.includes("%") ? encoded.map(decodeURIComponent) : encoded;
  const verb = verbs[method] ?? method.toLowerCase();
  const core = parts[0] === "api";
  if ((!core && parts[0] !== "apis") || parts.length < (core ? 3 : 4)) {
    return { rest: "", ...pathAttributes(verb, path) };
  }

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
  const attributes = resourceAttributes({
    verb: refineVerb(verb, name, query, watchPrefix),
    path,
    group,
    version,
    namespace: resource === "namespaces" ? name : namespace,
    resource,
    name,
    subresource,
  });
  return { rest: rest.join("/"), ...attributes };
}

/** A GET without a name is a list, or a watch with `watch=true`; a DELETE without a name deletes the collection. */
function refineVerb(verb: string, name: string, query: URLSearchParams, watchPrefix: boolean): string {
  if (verb === "delete" && name === "") return "deletecollection";
  if (verb !== "get") return verb;
  if (watchPrefix || isTrue(query.get("watch"))) return name === "" || watchPrefix ? "watch" : "get";
  return name === "" ? "list" : "get";
}

/** A query flag is true if present with any value but `0` and `false`: `?watch`, `watch=1`, `watch=true`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value !== "false";
}
