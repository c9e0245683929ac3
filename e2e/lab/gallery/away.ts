import type { KubernetesObject, NamespacedName } from "@tsbuilder/runtime";

/** Names an object in another namespace, where no owner reference helps. */
export function away({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }): {
  namespace: string;
  name: string;
} {
  return { namespace: "store", name: `${namespace}.${name}` };
}

/** Maps an object there to the one that it was made for. */
export function home({ metadata: { name = "" } }: KubernetesObject): NamespacedName[] {
  const dot = name.indexOf(".");
  return [{ namespace: name.slice(0, dot), name: name.slice(dot + 1) }];
}
