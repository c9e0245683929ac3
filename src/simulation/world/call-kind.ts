/** The part of a request that decides what it is. */
interface Call {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
}

/**
 * What a request is to a simulation: faults are aimed at reads and writes; leases and Events are no part of what an
 * operator does to its objects.
 */
export type CallKind = "watch" | "list" | "read" | "write" | "lease" | "event";

const leases = /^\/apis\/coordination\.k8s\.io\/[^/]+\/(?:namespaces\/[^/]+\/)?leases(?:\/|$|\?)/;
const events = /^\/(?:api|apis\/events\.k8s\.io)\/[^/]+\/(?:namespaces\/[^/]+\/)?events(?:\/|$|\?)/;

export function kindOf({ method, path }: Call, isStream: boolean): CallKind {
  if (leases.test(path)) return "lease";
  if (method !== "GET") return events.test(path) ? "event" : "write";
  if (!isStream) return "read";
  return /[?&]watch=(?:true|1)/.test(path) ? "watch" : "list";
}

/** The same list as it was at an earlier revision. */
export function asOf(path: string, revision: number): string {
  const [bare = "", query = ""] = path.split("?");
  const parameters = new URLSearchParams(query);
  for (const name of ["limit", "continue", "resourceVersion", "resourceVersionMatch"])
    parameters.delete(name);
  parameters.set("resourceVersion", String(revision));
  parameters.set("resourceVersionMatch", "Exact");
  return `${bare}?${parameters.toString()}`;
}
