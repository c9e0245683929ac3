/**
 * Finds the values of an object that `fieldsV1` names, in a browser, too: for the page and the written tests of `tsbuilder dev`.
 * Server-side apply, in `../apply`, has field sets of its own, which are fast to unite and to subtract.
 */

import { isEqual, isObject, memberOf } from "../../json/index.ts";

/**
 * Returns true if a path element names an item, which has the given index in its list: `k:{"name":"a"}` by keys, `v:"x"` by its
 * value, `i:0` by its index.
 */
export function isElementOf(element: string, item: unknown, index: number): boolean {
  const body = element.slice(2);
  switch (element.slice(0, 2)) {
    case "k:": {
      const keys: unknown = JSON.parse(body);
      if (!isObject(keys) || !isObject(item)) return false;
      return Object.entries(keys).every(([name, value]) => isEqual(memberOf(item, name), value));
    }
    case "v:":
      return isEqual(JSON.parse(body), item);
    case "i:":
      return Number(body) === index;
    default:
      return false;
  }
}

/**
 * Lists the paths that a set names, in its order: `spec.replicas`, `metadata.labels.app`, `spec.containers[name=web].image`. A
 * value with named members stands for itself only if the set names none of them.
 */
export function fieldPaths(fieldsV1: unknown, parent = ""): string[] {
  if (!isObject(fieldsV1)) return [];
  return Object.entries(fieldsV1).flatMap(([element, below]) => {
    if (element === ".") return [];
    const path = parent + pathOfElement(element, parent === "");
    const inner = fieldPaths(below, path);
    return inner.length > 0 ? inner : [path];
  });
}

function pathOfElement(element: string, isFirst: boolean): string {
  const body = element.slice(2);
  if (element.startsWith("f:")) return isFirst ? body : `.${body}`;
  if (!element.startsWith("k:")) return `[${body}]`;
  const keys: unknown = JSON.parse(body);
  const named = isObject(keys) ? Object.entries(keys).map(([name, value]) => `${name}=${String(value)}`) : [];
  return `[${named.join(",")}]`;
}
