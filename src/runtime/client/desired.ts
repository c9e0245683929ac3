import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";

/**
 * An object as somebody wants it: apiVersion and kind are filled in by the client, status is left to the server,
 * and every optional field takes `undefined`, which means "not there". So `{ replicas: mysql.spec.replicas }` compiles.
 */
export type Desired<T extends KubernetesObject> = Loose<
  Omit<T, "apiVersion" | "kind" | "metadata" | "status">
> & {
  apiVersion?: T["apiVersion"] | undefined;
  kind?: T["kind"] | undefined;
  metadata: Loose<ObjectMeta>;
};

/** What a kind keeps in `status`. */
export type StatusOf<T extends KubernetesObject> = T extends { status?: infer Status }
  ? Exclude<Status, undefined>
  : never;

/** The status somebody wants: optional fields take `undefined`. */
export type DesiredStatus<T extends KubernetesObject> = Loose<StatusOf<T>>;

/** T with `undefined` allowed wherever a field may be left out, all the way down. */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [Field in keyof T]: Loose<T[Field]> | ({} extends Pick<T, Field> ? undefined : never) }
    : T;
