import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import type { InformerEvent } from "../../../src/runtime/cache/cache.ts";
import { Partition } from "../../../src/runtime/cache/partition.ts";

/** A ConfigMap at a version. */
export function configMap(name: string, version: number, uid = `uid-${name}`): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid, resourceVersion: String(version) },
  };
}

/** A partition whose subscribers note what they are told. */
export function startPartition(
  covers: (object: KubernetesObject) => boolean = () => true,
  clock = new FakeClock(),
): {
  partition: Partition<KubernetesObject>;
  told: InformerEvent[];
  read: (name: string) => string | undefined;
  /** The versions that were prepared for sharing, in order: `a@1`. */
  prepared: string[];
} {
  const told: InformerEvent[] = [];
  const prepared: string[] = [];
  const made = new Partition<KubernetesObject>({
    prepare: (object) => {
      prepared.push(`${object.metadata.name}@${object.metadata.resourceVersion}`);
      return object;
    },
    covers,
    emit: (events) => void told.push(...events),
    onSynced: () => {},
    onError: () => {},
    onIndexError: () => {},
    clock,
  });
  const read = (name: string): string | undefined =>
    made.store.get({ namespace: "default", name })?.object.metadata.resourceVersion;
  return { partition: made, told, read, prepared };
}

/** Gives a partition what a list returned. */
export function fill(
  target: Partition<KubernetesObject>,
  version: number,
  ...objects: KubernetesObject[]
): void {
  target.begin();
  for (const each of objects) target.keep(each, 10, false);
  target.replace(String(version));
}
