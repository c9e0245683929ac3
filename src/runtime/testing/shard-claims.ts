import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { claimsAnnotation } from "../leader-election/member-leases.ts";
import { hasRange, noRanges, parseRanges, rangeOf } from "../shards/ranges.ts";

/** What the Lease of a process that shares the objects claims; undefined for other Leases. */
export function shardClaims({ metadata }: { readonly metadata: ObjectMeta }): string | undefined {
  return metadata.annotations?.[claimsAnnotation];
}

/** Whether such a claim covers the objects with a uid, or in a namespace. */
export function isClaimed(claims: string, uidOrNamespace: string): boolean {
  return hasRange(parseRanges(claims) ?? noRanges, rangeOf(uidOrNamespace));
}
