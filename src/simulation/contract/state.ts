import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Ref } from "./ref.ts";

/** All objects at one moment. */
export interface State {
  readonly objects: readonly KubernetesObject[];
  find(ref: Ref): KubernetesObject | undefined;
  list(kind: string): readonly KubernetesObject[];
}

/** What of a state two runs aren't compared by. */
export interface LeftOut {
  readonly objects: ReadonlySet<KubernetesObject>;
  /** Objects whose status is left out. */
  readonly statuses: ReadonlySet<KubernetesObject>;
  /** What is compared instead of the uids of objects that are gone. */
  readonly formerUids?: ReadonlyMap<string, string>;
}

/** Makes a state of the objects of a cluster. */
export function stateOf(objects: readonly KubernetesObject[]): State {
  return {
    objects,
    list: (kind) => objects.filter((object) => object.kind === kind),
    find: ({ apiVersion, kind, namespace, name }) =>
      objects.find(
        (object) =>
          object.apiVersion === apiVersion &&
          object.kind === kind &&
          object.metadata.name === name &&
          object.metadata.namespace === namespace,
      ),
  };
}
