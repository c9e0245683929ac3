import type { Pod } from "../../control-loop/api/core.ts";
import { refusalOf } from "./filters.ts";
import type { Host, Refusal, Snapshot } from "./host.ts";

/** The node for a pod, or why each host refuses it. */
export type Choice = { readonly node: string } | { readonly refusals: ReadonlyMap<Host, Refusal> };

/** Chooses the node with the fewest pods among those that a pod may run on. Preferences are not considered. */
export function chooseNode(pod: Pod, snapshot: Snapshot): Choice {
  const refusals = new Map<Host, Refusal>();
  let best: Host | undefined;
  for (const host of snapshot.hosts) {
    const refusal = refusalOf(pod, host, snapshot);
    if (refusal) refusals.set(host, refusal);
    else if (!best || compare(host, best) < 0) best = host;
  }
  return best ? { node: nameOf(best) } : { refusals };
}

function compare(a: Host, b: Host): number {
  return a.pods.length - b.pods.length || (nameOf(a) < nameOf(b) ? -1 : 1);
}

export function nameOf({ node }: Host): string {
  return node.metadata.name ?? "";
}
