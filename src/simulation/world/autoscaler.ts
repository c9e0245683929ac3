import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { pathOf } from "./base.ts";
import type { World } from "./world.ts";

/** How often an autoscaler looks, as in a real cluster. */
const period = 15_000;

interface Autoscaler extends KubernetesObject {
  readonly spec: {
    readonly minReplicas?: number;
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string };
  };
}

/**
 * The controller of HorizontalPodAutoscalers in a world without load: every target gets the fewest replicas that its
 * autoscaler allows. So the number doesn't depend on what it was before, and an operator that sets it, too, fights.
 */
export function startAutoscaler(world: World): void {
  const { store } = world.cluster.core;
  const autoscalers = store.collection("horizontalpodautoscalers.autoscaling");
  let isPlanned = false;
  store.listen(() => {
    if (isPlanned || autoscalers.size === 0) return;
    isPlanned = true;
    world.loop.after(period, () => {
      isPlanned = false;
      for (const { object } of autoscalers.list())
        void world.loop.hold(scale(world, object as unknown as Autoscaler));
    });
  });
}

/** As in a real cluster, nothing is done for a target that has no scale, or that was scaled to zero. */
async function scale(world: World, { metadata, spec }: Autoscaler): Promise<void> {
  const { minReplicas = 1, scaleTargetRef } = spec;
  const { apiVersion = "v1", kind, name } = scaleTargetRef;
  if (!world.cluster.core.registry.findKind(apiVersion.split("/").at(-2) ?? "", kind)) return;
  const target = { apiVersion, kind, metadata: { namespace: metadata.namespace!, name } };
  const path = `${pathOf(world.cluster, target)}/scale`;
  const { status, body } = await world.ask("autoscaler", "GET", path);
  if (status !== 200) return;
  const current = (JSON.parse(body.toString()) as { spec: { replicas?: number } }).spec.replicas ?? 0;
  if (current === 0 || current === minReplicas) return;
  const merge = { spec: { replicas: minReplicas } };
  await world.ask("autoscaler", "PATCH", path, merge, "application/merge-patch+json");
}
