import type { Run } from "../contract/index.ts";

/**
 * Names (`default/shop`) of the objects that operators could not write in the end, because the API server finds them
 * invalid: what the spec asks for is impossible, and what is left depends on what was possible before.
 */
export function refusedObjects({ trace }: Run): ReadonlySet<string> {
  const last = new Map<string, number>();
  for (const event of trace) {
    if (event.type === "phase") break;
    if (event.type === "request" && event.method !== "GET") last.set(event.path.split("?")[0]!, event.status);
  }
  return new Set([...last].flatMap(([path, status]) => (status === 422 ? [nameIn(path)] : [])));
}

function nameIn(path: string): string {
  const [, namespace, name] = /\/namespaces\/([^/]+)\/[^/]+\/([^/]+)/.exec(path) ?? [];
  return namespace === undefined ? path.split("/").at(-1)! : `${namespace}/${name}`;
}
