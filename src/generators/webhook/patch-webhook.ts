import { isObject, type JSONObject, type JSONValue } from "@tsbuilder/apimachinery/json";
import type { Webhook } from "./webhook.ts";

/** The fields of a webhook; any other name in a patch is a typo. */
const patchableFields = [
  "admissionReviewVersions",
  "clientConfig",
  "failurePolicy",
  "matchConditions",
  "matchPolicy",
  "name",
  "namespaceSelector",
  "objectSelector",
  "reinvocationPolicy",
  "rules",
  "sideEffects",
  "timeoutSeconds",
];

/** Lists that are merged by a key; all others are replaced. */
const mergeKeys: Readonly<Record<string, string>> = { matchConditions: "name" };

/**
 * Merges a patch into a webhook, like a strategic merge patch for this type: objects are merged, null removes, lists
 * are replaced. It allows selectors and match conditions, for which the marker has no arguments.
 */
export function patchWebhook(
  webhook: Webhook,
  text: string,
  fail: (message: string, hint: string) => void,
): Webhook {
  const patch = parse(text);
  if (patch === undefined) {
    fail("the patch is not a JSON object", 'write patch=`{"namespaceSelector":{"matchLabels":{"a":"b"}}}`');
    return webhook;
  }
  const unknown = Object.keys(patch).filter((key) => !key.startsWith("$") && !patchableFields.includes(key));
  if (unknown.length > 0) {
    fail(`a webhook has no field "${unknown.join('", "')}"`, `its fields are ${patchableFields.join(", ")}`);
    return webhook;
  }
  return merge(JSON.parse(JSON.stringify(webhook)) as JSONValue, patch, "") as unknown as Webhook;
}

function parse(text: string): JSONObject | undefined {
  try {
    const value = JSON.parse(text) as JSONValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function merge(target: JSONValue, patch: JSONValue, name: string): JSONValue {
  if (Array.isArray(patch)) return mergeList(target, patch, name);
  if (typeof patch !== "object" || patch === null) return patch;
  const { $patch: directive, ...fields } = patch;
  if (directive === "delete") return {};
  const result: JSONObject = isObject(target) && directive !== "replace" ? { ...target } : {};
  for (const [key, value] of Object.entries(fields)) {
    if (key.startsWith("$")) continue;
    if (value === null) delete result[key];
    else result[key] = merge(result[key] ?? null, value, key);
  }
  return result;
}

function mergeList(target: JSONValue, patch: JSONValue[], name: string): JSONValue {
  const key = mergeKeys[name];
  if (!key || !Array.isArray(target)) return patch;
  const merged = [...target];
  for (const item of patch) {
    const at = merged.findIndex((known) => keyOf(known, key) === keyOf(item, key));
    if (at === -1) merged.push(item);
    else merged[at] = merge(merged[at]!, item, "");
  }
  return merged;
}

function keyOf(item: JSONValue, key: string): JSONValue | undefined {
  return isObject(item) ? item[key] : undefined;
}
