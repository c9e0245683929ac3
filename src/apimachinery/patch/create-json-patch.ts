import { isEqual, isObject, type JSONObject, type JSONValue, memberOf, unionOfKeys } from "../json/index.ts";
import type { JSONPatch } from "./json-patch.ts";
import { formatPointer } from "./json-pointer.ts";

type Steps = readonly (string | number)[];

/**
 * Returns a JSON patch (RFC 6902) from one object to another; `[]` if they are equal.
 * It changes only what differs; in lists, it skips the common start and end.
 */
export function createJSONPatch(from: object, to: object): JSONPatch {
  return diff(from as JSONValue, to as JSONValue, []);
}

function diff(from: JSONValue, to: JSONValue, steps: Steps): JSONPatch {
  if (isEqual(from, to)) return [];
  if (isObject(from) && isObject(to)) return diffObjects(from, to, steps);
  if (Array.isArray(from) && Array.isArray(to)) return diffLists(from, to, steps);
  return [{ op: "replace", path: formatPointer(steps), value: to }];
}

function diffObjects(from: JSONObject, to: JSONObject, steps: Steps): JSONPatch {
  return unionOfKeys(from, to).flatMap((key): JSONPatch => {
    const before = memberOf(from, key);
    const after = memberOf(to, key);
    const path = formatPointer([...steps, key]);
    if (after === undefined) return before === undefined ? [] : [{ op: "remove", path }];
    if (before === undefined) return [{ op: "add", path, value: after }];
    return diff(before, after, [...steps, key]);
  });
}

function diffLists(from: JSONValue[], to: JSONValue[], steps: Steps): JSONPatch {
  const head = commonHead(from, to);
  const tail = commonTail(from.slice(head), to.slice(head));
  const before = from.slice(head, from.length - tail);
  const after = to.slice(head, to.length - tail);
  const shared = Math.min(before.length, after.length);

  const changed = before
    .slice(0, shared)
    .flatMap((item, index) => diff(item, after[index]!, [...steps, head + index]));
  const removed = before
    .slice(shared)
    .map(() => ({ op: "remove" as const, path: formatPointer([...steps, head + shared]) }));
  const added = after.slice(shared).map((value, index) => ({
    op: "add" as const,
    path: formatPointer([...steps, head + shared + index]),
    value,
  }));
  return [...changed, ...removed, ...added];
}

function commonHead(a: readonly JSONValue[], b: readonly JSONValue[]): number {
  let length = 0;
  while (length < a.length && length < b.length && isEqual(a[length], b[length])) length++;
  return length;
}

function commonTail(a: readonly JSONValue[], b: readonly JSONValue[]): number {
  return commonHead(a.toReversed(), b.toReversed());
}
