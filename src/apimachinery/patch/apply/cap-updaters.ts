import { compareText } from "../../text/index.ts";
import { union } from "./field-set.ts";
import { type FieldManager, type Managers, managerKey } from "./managers.ts";

/** How many updaters an object keeps apart. */
const maxUpdaters = 10;

/**
 * Merges the oldest updaters, once there are too many, into one `ancient-changes` per version.
 * A version with a single old updater keeps it: merging one alone would save nothing.
 */
export function capUpdaters(managers: Managers): Managers {
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
