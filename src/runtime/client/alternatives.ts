import { isObject } from "@tsbuilder/apimachinery/json";
/**
 * Fields of which an object may have one only: the server refuses ours beside another that somebody else put in its
 * place, and an apply can't take away what is not ours.
 */
const alternatives: readonly (readonly string[])[] = [
  // How a probe asks.
  ["exec", "grpc", "httpGet", "tcpSocket"],
  // Where a variable's value is from.
  ["value", "valueFrom"],
  // What a PodDisruptionBudget counts.
  ["maxUnavailable", "minAvailable"],
];

/** Puts the fields of the desired object in the place of their alternatives, all the way down; edits the draft. */
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

/** Containers and variables are known by their names. */
function replaceInItems(draft: readonly unknown[], desired: readonly unknown[]): void {
  for (const item of desired) {
    if (!isObject(item) || item["name"] === undefined) continue;
    const same = draft.find((candidate) => isObject(candidate) && candidate["name"] === item["name"]);
    replaceAlternatives(same, item);
  }
}
