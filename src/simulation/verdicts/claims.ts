import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Run, Scenario, Verdict } from "../contract/index.ts";
import { refTextOf } from "../contract/state.ts";

/**
 * Returns the claims of volumes that outlived the deletion of a run, and that the deletion of another run took: the cluster made them
 * for a StatefulSet, and an operator deletes them. What else the cluster makes has an owner, and goes with it, unless somebody
 * orphans it.
 */
export function outlivedClaims(run: Run, other: Run, { mayStay }: Scenario): KubernetesObject[] {
  const kept = new Set(other.remaining.map(refTextOf));
  const taken = new Set(other.state.objects.map(refTextOf).filter((text) => !kept.has(text)));
  return run.remaining.filter((object) => {
    const isClaim = object.kind === "PersistentVolumeClaim" && !object.metadata.ownerReferences?.length;
    return isClaim && taken.has(refTextOf(object)) && !mayStay?.(object);
  });
}

/**
 * Returns the claims of volumes that operators deleted before the end, as `default/data-web-0`: what is in the volumes is gone. A
 * claim that was never bound has none, and one that the cluster made for a StatefulSet which somebody had scaled by hand has
 * nothing that users asked an operator to keep.
 */
export function deletedClaims({ trace, writes }: Pick<Run, "trace" | "writes">): ReadonlySet<string> {
  const end = trace.findLastIndex((event) => event.type === "phase" && event.phase !== "deletion");
  const bound = new Set<string>();
  const deleted = new Set<string>();
  const scaledByHand = new Set<string>();
  const unasked = new Set<string>();
  for (const event of trace.slice(0, end + 1)) {
    if (event.type !== "change") continue;
    const { key, change, fields, by, resource } = event;
    if (resource === "statefulsets.apps" && change === "MODIFIED" && fields.includes("spec.replicas"))
      mark(scaledByHand, key, by === "user");
    if (resource !== "persistentvolumeclaims") continue;
    if (change === "ADDED")
      mark(
        unasked,
        key,
        [...scaledByHand].some((set) => isClaimOf(key, set)),
      );
    if (fields.includes("spec.volumeName") && !unasked.has(key)) bound.add(key);
    const isDeletion = change === "DELETED" || fields.includes("metadata.deletionTimestamp");
    if (isDeletion && by in writes && bound.has(key)) deleted.add(key);
    if (change === "DELETED") bound.delete(key);
  }
  return deleted;
}

function mark(keys: Set<string>, key: string, isMember: boolean): void {
  if (isMember) keys.add(key);
  else keys.delete(key);
}

/** Returns whether a claim, such as `default/data-web-0`, is one of the StatefulSet `default/web`. */
function isClaimOf(claim: string, set: string): boolean {
  const [namespace, name] = set.split("/") as [string, string];
  return claim.startsWith(`${namespace}/`) && claim.replace(/-\d+$/, "").endsWith(`-${name}`);
}

/** Returns the name of a claim of volumes as deletions name it; undefined for any other object. */
export function claimKeyOf({ kind, metadata: { namespace, name } }: KubernetesObject): string | undefined {
  return kind === "PersistentVolumeClaim" ? `${namespace}/${name}` : undefined;
}

/** The verdict on claims that no state of what users asked for makes an operator delete. */
export function lostClaimsVerdict(claims: readonly string[]): Omit<Verdict, "class"> {
  const objects = claims.map((key) => `PersistentVolumeClaim.v1 ${key}`);
  return {
    message: `${objects.join(", ")} was deleted, although users never asked for what deletes it`,
    objects,
  };
}
