import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";

/** Identifies an object of a kind. Cluster-scoped objects have no namespace. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A key, or an object that has one. */
export type ObjectRef =
  | ObjectKey
  | { readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined } };

/** The key of an object; throws `TypeError` if it has no name. */
export function keyOf(ref: ObjectRef): ObjectKey {
  const { name, namespace } = "metadata" in ref ? ref.metadata : ref;
  if (!name) throw new TypeError("the object has no name");
  return namespace ? { namespace, name } : { name };
}

/** Formats a key as `namespace/name`, or `name` without a namespace. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** The key of a stored object, which always has a name, as text for caches and queues. */
export function keyText({ namespace, name = "" }: ObjectMeta): string {
  return namespace ? `${namespace}/${name}` : name;
}
