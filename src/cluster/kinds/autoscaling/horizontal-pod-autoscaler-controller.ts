import { isEqual } from "@tsbuilder/apimachinery/json";
import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { LabelSelector } from "@tsbuilder/apimachinery/k8s/meta/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Pod, pods } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { sum } from "../../control-loop/counts.ts";
import { isLostRace } from "../../control-loop/failures.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { isActive, isReady } from "../../control-loop/pods/pod-state.ts";
import { reporting } from "../../control-loop/record-event.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";

type Autoscaler = v2.HorizontalPodAutoscaler & KubernetesObject;
type Conditions = readonly v2.HorizontalPodAutoscalerCondition[];

const autoscalers: ResourceName<Autoscaler> = "horizontalpodautoscalers.autoscaling";
const user = userOf("horizontal-pod-autoscaler");

/** How often metrics are read, and by how much usage may miss its target, as in kube-controller-manager. */
const syncMilliseconds = 15_000;
const tolerance = 0.1;

/** How long an autoscaler remembers that more pods were needed before it takes some away. Default: five minutes. */
const defaultWindowSeconds = 300;

interface Target extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    /** That of a ReplicationController has no more than labels. */
    readonly selector?: LabelSelector | LabelSelector["matchLabels"];
  };
}

/** A PodMetrics of metrics.k8s.io. */
interface PodMetrics {
  readonly metadata: { readonly name: string };
  readonly containers: readonly { readonly usage: Readonly<Record<string, string>> }[];
}

/**
 * Sets the replicas of what has `spec.replicas` by what its pods use of CPU and memory, as metrics.k8s.io tells. Without a server of
 * that group, such as metrics-server, autoscalers are left alone. Policies of `behavior` are not followed, but its windows are.
 */
export function horizontalPodAutoscalerController(context: ControllerContext): Controller {
  const { objects, clock, report } = reporting(context, user, "horizontal-pod-autoscaler");
  const { readMetrics } = context;
  /** The replicas that an autoscaler wanted within its longer window. */
  const wanted = new Map<string, readonly { readonly at: number; readonly replicas: number }[]>();
  return {
    watches: [autoscalers],
    requeues: "upkeep",
    keysOf: ({ object }) => [keyOf(object)],

    async reconcile(key) {
      const autoscaler = findByKey(objects, autoscalers, key);
      if (!autoscaler) wanted.delete(key);
      if (!autoscaler || !readMetrics?.isServed()) return autoscaler && syncMilliseconds;
      const { scaleTargetRef, minReplicas = 1, maxReplicas } = autoscaler.spec;
      const { apiVersion = "", kind, name } = scaleTargetRef;
      const served = objects.findKind(parseApiVersion(apiVersion).group, kind);
      const target = served && objects.get<Target>(served.resource, autoscaler.metadata.namespace, name);
      if (!target) {
        const message = `the HPA controller was unable to get the target's current scale: ${kind} "${name}" not found`;
        return write(autoscaler, undefined, [condition("AbleToScale", "False", "FailedGetScale", message)]);
      }
      const current = target.spec?.replicas ?? 1;
      const able = condition(
        "AbleToScale",
        "True",
        "ReadyForNewScale",
        "recommended size matches current size",
      );
      if (current === 0) {
        const message = "scaling is disabled since the replica count of the target is zero";
        return write(autoscaler, target, [
          able,
          condition("ScalingActive", "False", "ScalingDisabled", message),
        ]);
      }
      try {
        const found = await readAll(autoscaler, target);
        const proposed = Math.max(...found.map(({ replicas }) => replicas));
        const stable = stabilized(key, autoscaler, current, proposed);
        const limited = Math.min(
          Math.max(stable, minReplicas),
          maxReplicas,
          Math.max(2 * current, current + 4),
        );
        if (limited !== current) {
          await objects.update(user, { ...target, spec: { ...target.spec, replicas: limited } });
          const why = `New size: ${limited}; reason: ${limited > current ? "resource utilization above target" : "All metrics below target"}`;
          await report(autoscaler, "Normal", "SuccessfulRescale", why);
        }
        const active = "the HPA was able to successfully calculate a replica count from the metrics";
        return write(
          {
            ...autoscaler,
            status: { ...autoscaler.status!, currentMetrics: found.map(({ metric }) => metric) },
          },
          target,
          [
            limited === current
              ? able
              : condition(
                  "AbleToScale",
                  "True",
                  "SucceededRescale",
                  `the HPA controller was able to update the target scale to ${limited}`,
                ),
            condition("ScalingActive", "True", "ValidMetricFound", active),
            limited === stable
              ? condition(
                  "ScalingLimited",
                  "False",
                  "DesiredWithinRange",
                  "the desired count is within the acceptable range",
                )
              : condition(
                  "ScalingLimited",
                  "True",
                  limited > stable ? "TooFewReplicas" : "TooManyReplicas",
                  "the desired replica count is out of the acceptable range",
                ),
          ],
          limited,
        );
      } catch (error) {
        // Another write of the target came first: the metrics are no problem.
        if (isLostRace(error)) throw error;
        const message = `the HPA was unable to compute the replica count: ${(error as Error).message}`;
        await report(autoscaler, "Warning", "FailedGetResourceMetric", message);
        return write(autoscaler, target, [
          able,
          condition("ScalingActive", "False", "FailedGetResourceMetric", message),
        ]);
      }
    },
  };

  /** Reads the usage that each metric is about, with the replicas that it asks for. */
  async function readAll(autoscaler: Autoscaler, target: Target) {
    const { namespace = "" } = autoscaler.metadata;
    const given = target.spec?.selector;
    const selector = target.kind === "ReplicationController" ? { matchLabels: given } : given;
    const own = objects
      .list(pods, namespace)
      .filter(
        (pod) => isActive(pod) && matchesLabelSelector(selector as LabelSelector, pod.metadata.labels ?? {}),
      );
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    const { items = [] } = (await readMetrics!.get(path)) as { items?: readonly PodMetrics[] };
    return (autoscaler.spec?.metrics ?? []).map(({ type, resource }) => {
      if (type !== "Resource" || !resource) throw new Error(`metrics of the type ${type} are not read here`);
      return readResource(resource, own, items, target.spec?.replicas ?? 1);
    });
  }

  /** Forgets what was wanted before the windows, and takes the calmest of what was wanted within them. */
  function stabilized(key: string, { spec }: Autoscaler, current: number, replicas: number): number {
    const up = spec?.behavior?.scaleUp?.stabilizationWindowSeconds ?? 0;
    const down = spec?.behavior?.scaleDown?.stabilizationWindowSeconds ?? defaultWindowSeconds;
    const now = clock.now();
    const kept = (wanted.get(key) ?? []).filter(({ at }) => now - at < Math.max(up, down) * 1000);
    wanted.set(key, [...kept, { at: now, replicas }]);
    const within = (seconds: number): number[] =>
      kept.filter(({ at }) => now - at < seconds * 1000).map((each) => each.replicas);
    const least = Math.min(replicas, ...within(up));
    const most = Math.max(replicas, ...within(down));
    return least > current ? least : Math.min(most, current);
  }

  function condition(
    type: string,
    status: "True" | "False",
    reason: string,
    message: string,
  ): v2.HorizontalPodAutoscalerCondition {
    return { type, status, reason, message, lastTransitionTime: formatTime(clock.now()) };
  }

  /** Writes what has changed of a status; returns when metrics are read again. */
  async function write(
    autoscaler: Autoscaler,
    target: Target | undefined,
    conditions: Conditions,
    desired?: number,
  ): Promise<number> {
    const before = autoscaler.status?.conditions ?? [];
    const currentReplicas = (target as { status?: { replicas?: number } } | undefined)?.status?.replicas ?? 0;
    const status: v2.HorizontalPodAutoscalerStatus = {
      ...autoscaler.status,
      currentReplicas,
      desiredReplicas: desired ?? autoscaler.status?.desiredReplicas ?? 0,
      conditions: conditions.map((each) => {
        const old = before.find(({ type }) => type === each.type);
        return old?.status === each.status ? { ...each, lastTransitionTime: old.lastTransitionTime! } : each;
      }),
      ...(desired !== undefined && desired !== currentReplicas && { lastScaleTime: formatTime(clock.now()) }),
    };
    const stored = objects.get(autoscalers, autoscaler.metadata.namespace, autoscaler.metadata.name!);
    if (stored && !isEqual(stored.status, status))
      await objects.update(user, { ...stored, status }, "status");
    return syncMilliseconds;
  }
}

/** Computes the replicas that bring the usage of a resource to its target: pods without metrics count against a change. */
function readResource(
  { name, target }: v2.ResourceMetricSource,
  own: readonly Pod[],
  metrics: readonly PodMetrics[],
  current: number,
) {
  const usages = new Map(
    metrics.map(({ metadata, containers }) => [
      metadata.name,
      sum(containers.map(({ usage }) => quantityToNumber(usage[name] ?? "0"))),
    ]),
  );
  const measured = own.filter((pod) => usages.has(pod.metadata.name!) && isReady(pod));
  if (measured.length === 0)
    throw new Error(
      `failed to get ${name} utilization: did not receive metrics for targeted pods (pods might be unready)`,
    );
  const used = sum(measured.map((pod) => usages.get(pod.metadata.name!)!));
  const wantsOf = (pod: Pod): number =>
    target.type === "Utilization"
      ? (sum(pod.spec.containers.map(({ resources }) => requestOf(resources?.requests?.[name], name, pod))) *
          (target.averageUtilization ?? 100)) /
        100
      : quantityToNumber(target.averageValue ?? "1");
  const aim = sum(measured.map(wantsOf));
  if (aim === 0) throw new Error(`failed to get ${name} utilization: no metrics returned matched known pods`);
  const others = own.length - measured.length;
  const perPod = aim / measured.length;
  const ratio = used / aim;
  // Others use nothing if more pods seem to be needed, and all that they should if fewer do.
  const careful = others === 0 ? ratio : (used + (ratio < 1 ? others * perPod : 0)) / (aim + others * perPod);
  const isSteady = Math.abs(careful - 1) <= tolerance || careful > 1 !== ratio > 1;
  const average = used / measured.length;
  const unit = name === "cpu" ? `${Math.round(average * 1000)}m` : String(Math.round(average));
  const utilization = Math.round((used / aim) * (target.averageUtilization ?? 100));
  const metric: v2.MetricStatus = {
    type: "Resource",
    resource: {
      name,
      current: {
        averageValue: unit,
        ...(target.type === "Utilization" && { averageUtilization: utilization }),
      },
    },
  };
  return { metric, replicas: isSteady ? current : Math.ceil(careful * own.length - 1e-9) };
}

function requestOf(request: string | number | undefined, name: string, { metadata }: Pod): number {
  if (request === undefined)
    throw new Error(
      `failed to get ${name} utilization: missing request for ${name} in a container of Pod ${metadata.name}`,
    );
  return quantityToNumber(request);
}
