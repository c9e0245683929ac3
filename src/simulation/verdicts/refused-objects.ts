import type { Run } from "../contract/index.ts";

/**
 * The objects (`ConfigMap.v1 default/shop`) that operators could not write in the end, because the API server finds them
 * invalid: what the spec asks for is impossible, and what is left depends on what was possible before.
 */
export function refusedObjects({ trace }: Run): ReadonlySet<string> {
  const last = new Map<string, { readonly object: string; readonly status: number }>();
  for (const event of trace) {
    if (event.type === "phase") break;
    if (event.type !== "request" || event.object === undefined) continue;
    const [, subresource = ""] = /\/(status|scale)$/.exec(event.path.split("?")[0]!) ?? [];
    last.set(`${event.object} ${subresource}`, { object: event.object, status: event.status });
  }
  return new Set([...last.values()].flatMap(({ object, status }) => (status === 422 ? [object] : [])));
}
