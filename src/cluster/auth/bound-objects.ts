import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";

/** The kinds of objects that tokens may be bound to. */
const bindable: Readonly<Record<string, { readonly plural: string; readonly namespaced: boolean }>> = {
  Pod: { plural: "pods", namespaced: true },
  Secret: { plural: "secrets", namespaced: true },
  Node: { plural: "nodes", namespaced: false },
};

export function isBindable(kind: string): boolean {
  return Object.hasOwn(bindable, kind);
}

export function findBound(
  store: Store,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
): { readonly plural: string; readonly object: ApiObject | undefined } {
  const { plural, namespaced } = bindable[kind]!;
  const key = namespaced ? `${namespace}/${name}` : name;
  return { plural, object: store.collection(plural).get(key)?.object };
}
