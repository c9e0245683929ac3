import { compareText } from "../../text/index.ts";
import { union } from "./field-set.ts";
import { type FieldManager, type Managers, managerKey } from "./managers.ts";

/** The number of updaters that an object lists separately. */
const maxUpdaters = 10;

/**
 * If there are too many updaters, merges the oldest ones into one `ancient-changes` per version.
 * The only old updater of a version is kept.
 */
export function capUpdaters(managers: Managers): Managers {
  if (managers.size <= maxUpdaters) return managers;
  const updaters = [...managers.values()].filter(({ operation }) => operation === "Update").sort(byTime);
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const updater of updaters) {
    if (count <= maxUpdaters) break;
    const key = managerKey(updater);
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, key);
      continue;
    }
    const { apiVersion, time } = updater;
    const bucket = { manager: "ancient-changes", operation: "Update", apiVersion } as const;
    const bucketKey = managerKey(bucket);
    const merged = (capped.get(bucketKey) ?? capped.get(first))!.fields;
    capped.delete(first);
    capped.delete(key);
    capped.set(bucketKey, { ...bucket, time, fields: union(merged, updater.fields) });
    count--;
  }
  return capped;
}

function byTime(a: FieldManager, b: FieldManager): number {
  const [first, second] = [`${a.time ?? ""} ${managerKey(a)}`, `${b.time ?? ""} ${managerKey(b)}`];
  return compareText(first, second);
}
