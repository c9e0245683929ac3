import { findController, type Kind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Client } from "./client.ts";
import type { Desired } from "./desired.ts";
import { keyText } from "./object-key.ts";
import type { ApplyOptions, Owner } from "./options.ts";

/** One object of a set, with its kind; made by `child`, which checks that they fit. */
export interface Child<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;
  readonly desired: object;
}

/** Names the kind of a desired object. */
export function child<T extends KubernetesObject>(kind: Kind<T>, desired: NoInfer<Desired<T>>): Child<T> {
  return { kind, desired };
}

/** How to apply a set. */
export interface ChildrenOptions extends Omit<ApplyOptions, "owner"> {
  /**
   * All kinds that the set has, or had in an earlier version of the operator. Objects of these kinds that the owner
   * controls and the set lacks are deleted.
   */
  readonly prune: readonly Kind[];
}

/** The objects that an apply of these children returns. */
export type Applied<Children extends readonly unknown[]> = {
  -readonly [At in keyof Children]: Children[At] extends Child<infer T> ? T : never;
};

/**
 * Makes the objects that an owner controls those of the set: applies each, in order, then deletes what is no longer in
 * it. What belongs to the set is told by the owner references in the cluster, so nothing is forgotten over a restart.
 */
export async function applyChildren<const Children extends readonly Child[]>(
  client: Client,
  owner: Owner,
  children: Children,
  { prune, ...options }: ChildrenOptions,
): Promise<Applied<Children>> {
  const applied: KubernetesObject[] = [];
  for (const { kind, desired } of children) {
    applied.push(await client.apply(kind, desired as Desired<KubernetesObject>, { ...options, owner }));
  }
  const kept = new Set(applied.map(identify));
  for (const kind of prune) {
    const namespace = kind.scope === "Namespaced" ? owner.metadata.namespace : undefined;
    for (const object of await client.list(kind, { namespace, signal: options.signal })) {
      const isOurs = findController(object)?.uid === owner.metadata.uid;
      if (!isOurs || kept.has(identify(object)) || object.metadata.deletionTimestamp) continue;
      const preconditions = { uid: object.metadata.uid };
      await client.delete(kind, object, { preconditions, signal: options.signal, dryRun: options.dryRun });
    }
  }
  return applied as Applied<Children>;
}

function identify({ apiVersion, kind, metadata }: KubernetesObject): string {
  return `${apiVersion}/${kind}/${keyText(metadata)}`;
}
