import { isObject } from "@tsbuilder/apimachinery/json";
/**
 * Fields of which an object may have only one. The API server rejects ours if another client has set a different one,
 * and an apply can't remove fields that we don't own.
 */
const alternatives: readonly (readonly string[])[] = [
  // How a probe asks.
  ["exec", "grpc", "httpGet", "tcpSocket"],
  // Where a variable's value is from.
  ["value", "valueFrom"],
  // What a PodDisruptionBudget counts.
  ["maxUnavailable", "minAvailable"],
];

/** Removes alternatives of the desired object's fields, recursively; edits the draft. */
export function replaceAlternatives(draft: unknown, desired: unknown): void {
  if (Array.isArray(draft) && Array.isArray(desired)) return replaceInItems(draft, desired);
  if (!isObject(draft) || !isObject(desired)) return;
  for (const names of alternatives) {
    const ours = names.find((name) => desired[name] !== undefined);
    const others = names.filter((name) => draft[name] !== undefined && desired[name] === undefined);
    if (ours === undefined || others.length === 0) continue;
    for (const name of others) delete draft[name];
    draft[ours] = desired[ours];
  }
  for (const [name, value] of Object.entries(desired)) replaceAlternatives(draft[name], value);
}

/** Containers and variables are identified by name. */
function replaceInItems(draft: readonly unknown[], desired: readonly unknown[]): void {
  for (const item of desired) {
    if (!isObject(item) || item["name"] === undefined) continue;
    const same = draft.find((candidate) => isObject(candidate) && candidate["name"] === item["name"]);
    replaceAlternatives(same, item);
  }
}
