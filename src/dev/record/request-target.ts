import { keyName, placeName } from "./recorded.ts";

/** The resource, and the object or collection, that a request to an API server names. */
export interface RequestTarget {
  /** Plural and group: `statefulsets.apps`. */
  readonly resource: string;
  /** Undefined for cluster-scoped objects, and for the collection of all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Such as `status`. */
  readonly subresource: string | undefined;
}

/** Parses the path of a request; undefined if it names no resource. */
export function requestTarget(path: string): RequestTarget | undefined {
  const [, group = "", rest = ""] = /^\/(?:api\/[^/?]+|apis\/([^/?]+)\/[^/?]+)\/([^?]+)/u.exec(path) ?? [];
  if (rest === "") return undefined;
  let parts = rest.split("/").map(decodeSegment);
  let namespace: string | undefined;
  if (parts[0] === "namespaces" && parts.length > 2 && !isNamespaceSubresource(parts[2])) {
    namespace = parts[1];
    parts = parts.slice(2);
  }
  const [plural = "", name, ...subresource] = parts;
  return {
    resource: group === "" ? plural : `${plural}.${group}`,
    namespace,
    name,
    subresource: subresource.length === 0 ? undefined : subresource.join("/"),
  };
}

/** Returns the place of the object that a request names; undefined for a collection. */
export function placeOf({ resource, namespace, name }: RequestTarget): string | undefined {
  return name === undefined ? undefined : placeName({ resource, key: keyName({ namespace, name }) });
}

/** Returns the verb of a request, as RBAC names it. */
export function verbOf(method: string, path: string, { name }: RequestTarget): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    default:
      if (/[?&]watch=(?:true|1)\b/u.test(path)) return "watch";
      return name === undefined ? "list" : "get";
  }
}

/** Returns true if a request can change objects: it is no read, and no dry run. */
export function isWrite(method: string, path: string): boolean {
  return method !== "GET" && method !== "HEAD" && !/[?&]dryRun=/u.test(path);
}

/** Returns true for the status codes of success. */
export function hasSucceeded(code: string): boolean {
  return code.startsWith("2");
}

/** Returns true for subresources of Namespaces: `namespaces/a/status` looks like a collection in namespace `a`. */
function isNamespaceSubresource(part: string | undefined): boolean {
  return part === "status" || part === "finalize";
}

function decodeSegment(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
