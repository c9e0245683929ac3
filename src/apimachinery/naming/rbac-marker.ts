/** A request that RBAC forbids, and the marker that would allow it. */
export interface MissingPermission {
  readonly verb: string;
  readonly resource: string;
  /** Written above a controller, it makes `manifests` generate the rule. */
  readonly marker: string;
}

/** The message of an API server for a request that RBAC forbids; quotes are escaped inside of a line of JSON. */
const forbidden =
  /User \\?"[^"]*\\?" cannot (?<verb>[a-z]+) resource \\?"(?<resource>[a-z0-9./-]+)\\?" in API group \\?"(?<group>[a-z0-9.-]*)\\?"/;

/** Finds a forbidden request in a text that quotes an API server, such as a line of a log. */
export function missingPermission(text: string): MissingPermission | undefined {
  const { verb, resource, group } = forbidden.exec(text)?.groups ?? {};
  if (!verb || !resource) return undefined;
  // A cache lists and watches, and then reads: with one of the verbs, the next one would fail.
  const verbs = verb === "list" || verb === "watch" ? "get;list;watch" : verb;
  const groups = group === "" ? '""' : group;
  const marker = `// +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${verbs}`;
  return { verb, resource, marker };
}
