import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** A field that differs between two states of an object. */
export interface Change {
  /** As `changedFields()` names it. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The fields that differ, down to the first list, but for those that the API server writes itself: in one walk that keeps nothing, since it is made for each
 * of many writes. A spec of the same generation is the same.
 */
export function changesOf(before: KubernetesObject, after: KubernetesObject): Change[] {
  const { generation } = before.metadata;
  const isSameSpec = generation !== undefined && generation === after.metadata.generation;
  const found: Change[] = [];
  compareMembers(
    before as unknown as Members,
    after as unknown as Members,
    "",
    found,
    isSameSpec ? "spec" : "",
  );
  return found;
}

/** The fields that differ between two states of which the API server has not counted the generations yet. */
export function unstoredChangesOf(before: KubernetesObject, after: KubernetesObject): Change[] {
  const found: Change[] = [];
  compareMembers(before as unknown as Members, after as unknown as Members, "", found, "");
  return found;
}

function compare(before: unknown, after: unknown, path: string, found: Change[]): void {
  if (!isObject(before) || !isObject(after)) {
    if (!isSame(before, after)) found.push({ path, before, after });
    return;
  }
  compareMembers(before, after, path, found, "");
}

function compareMembers(before: Members, after: Members, path: string, found: Change[], known: string): void {
  for (const name in before) if (name !== known) compareMember(before, after, path, name, found);
  for (const name in after) if (!Object.hasOwn(before, name)) compareMember(before, after, path, name, found);
}

function compareMember(before: Members, after: Members, path: string, name: string, found: Change[]): void {
  const [old, now] = [before[name], after[name]];
  if (old === now || (path === "metadata" && isBookkeeping(name))) return;
  compare(old, now, path === "" ? name : `${path}.${name}`, found);
}

/** Fields that the API server writes itself. */
function isBookkeeping(name: string): boolean {
  return name === "managedFields" || name === "resourceVersion" || name === "generation";
}

/** Whether two values are the same JSON; the order of members is ignored. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && isSameList(a, b);
  for (const name in a) if (!isSame((a as Members)[name], (b as Members)[name])) return false;
  for (const name in b) if (!Object.hasOwn(a, name)) return false;
  return true;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isSame(a[i], b[i])) return false;
  return true;
}
