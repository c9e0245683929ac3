import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";

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

/**
 * T as it is read from the cache, where it is frozen: no field can be set, at any depth. It is assignable to T, so
 * functions that only read may declare T itself; this is also why lists have the type of a list that can be changed,
 * although they throw. `const copy: T = structuredClone(object)` is a copy that can be changed.
 */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]: DeepReadonly<T[Field]> }
    : T;

/** The read-only type of an object. */
export function asReadonly<T>(object: T): DeepReadonly<T> {
  return object as unknown as DeepReadonly<T>;
}

/** Edits a draft in place. A function that returns a new object doesn't compile, because that would have no effect. */
// `void` alone would accept any return value.
export type Edit<T> = (draft: T) => void | undefined;

/**
 * A desired object: the client sets apiVersion and kind, the server owns the status, and every optional field accepts
 * `undefined`, which means "not set". So `{ replicas: mysql.spec.replicas }` compiles.
 */
export type Desired<T extends KubernetesObject> = Loose<
  Omit<T, "apiVersion" | "kind" | "metadata" | "status">
> & {
  apiVersion?: T["apiVersion"] | undefined;
  kind?: T["kind"] | undefined;
  metadata: Loose<ObjectMeta>;
};

/** The type of a kind's `status`. */
export type StatusOf<T extends KubernetesObject> = T extends { status?: infer Status }
  ? Exclude<Status, undefined>
  : never;

/** A desired status: optional fields accept `undefined`. */
export type DesiredStatus<T extends KubernetesObject> = Loose<StatusOf<T>>;

/** T with `undefined` allowed for every optional field, recursively. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Field in keyof T]: Loose<T[Field]> | ({} extends Pick<T, Field> ? undefined : never) }
    : T;
