import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";

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
