import type { StatefulSet } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { Pod } from "@tsbuilder/apimachinery/k8s/core/v1";
import { findController, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { OutdatedPods } from "../contract/state.ts";
import type { World } from "./world.ts";

/**
 * Returns what pods still run with although the operator has replaced it. Nobody replaces it for them: environment variables are
 * those of the time at which a container was started, and with `OnDelete` the pods of a StatefulSet keep its former template,
 * which the cluster leaves to operators, or to users who ask for it.
 */
export function outdatedPods(world: World): OutdatedPods {
  if (world.cluster.core.store.collection("pods").size === 0) return new Map();
  const objects = new Map(world.objects().map((object) => [object.metadata.uid, object]));
  const isOwn = ({ metadata }: KubernetesObject): boolean =>
    world.isProcess(world.creators.get(metadata.uid ?? "") ?? "");
  const outdated = new Map<string, readonly string[]>();
  for (const object of objects.values()) {
    if (
      object.kind !== "Pod" ||
      object.metadata.deletionTimestamp ||
      (object as Pod).status?.phase !== "Running"
    )
      continue;
    const owners = [object];
    for (let owner = ownerOf(object); owner; owner = ownerOf(owner)) owners.push(owner);
    const made = owners.find(isOwn);
    const variables = world.mounted.outdatedVariables(object as Pod, isOwn).map((name) => `env.${name}`);
    const names = [
      ...variables,
      ...(isOfFormerTemplate(object, owners[1]) && !isAskedFor(world) ? ["template"] : []),
    ];
    const uid = made?.metadata.uid;
    if (uid !== undefined && made?.kind !== "Job" && names.length > 0)
      outdated.set(uid, [...new Set([...(outdated.get(uid) ?? []), ...names])]);
  }
  return outdated;

  function ownerOf(object: KubernetesObject): KubernetesObject | undefined {
    return objects.get(findController(object)?.uid);
  }
}

/** Returns whether a pod is one of an older revision, of an owner that replaces pods only after somebody has deleted them. */
function isOfFormerTemplate({ metadata }: KubernetesObject, owner: KubernetesObject | undefined): boolean {
  const { spec, status } = (owner ?? {}) as Partial<StatefulSet>;
  return (
    spec?.updateStrategy?.type === "OnDelete" &&
    status?.updateRevision !== undefined &&
    metadata.labels?.["controller-revision-hash"] !== status.updateRevision
  );
}

/** Returns whether users choose how pods are replaced. */
function isAskedFor({ scenario: { objects, steps } }: World): boolean {
  return JSON.stringify([objects, steps]).includes('"OnDelete"');
}
