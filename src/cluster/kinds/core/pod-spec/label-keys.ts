import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { forbidden, invalid } from "@tsbuilder/apimachinery/errors";
import { type Problems, refused } from "../../checks/problems.ts";
import type { PodAffinityTerm } from "./types.ts";

/** The matchLabelKeys and mismatchLabelKeys of a selector. */
export function* labelKeys(
  field: string,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
): Problems {
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const at = `${field}.${name}`;
    if (keys.length > 0 && !labelSelector) {
      yield forbidden(at, "must not be specified when labelSelector is not set");
      continue;
    }
    for (const [index, key] of keys.entries()) {
      yield* refused(`${at}[${index}]`, key, checkQualifiedName(key));
    }
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index !== -1 && selected.has(key)) {
      yield invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    yield invalid(`${field}.matchLabelKeys[${index}]`, key, detail);
  }
}
