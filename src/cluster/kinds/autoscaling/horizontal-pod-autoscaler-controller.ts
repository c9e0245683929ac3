import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import {
  type Requirement,
  matchesRequirements,
  parseLabelSelector,
  toRequirements,
} from "@tsbuilder/apimachinery/selector";
import type { LabelSelector } from "@tsbuilder/apimachinery/k8s/meta/v1";
import { formatTime, parseDuration } from "@tsbuilder/apimachinery/time";
import { type Pod, pods } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { sum } from "../../control-loop/counts.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { reporting } from "../../control-loop/record-event.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import { readField, setField } from "../cells.ts";
import { type ScalingHistory, followRules } from "./scaling-rules.ts";

type Autoscaler = v2.HorizontalPodAutoscaler & KubernetesObject;
type Status = v2.HorizontalPodAutoscalerStatus;

const autoscalers: ResourceName<Autoscaler> = "horizontalpodautoscalers.autoscaling";
const user = userOf("horizontal-pod-autoscaler");

/** How often metrics are read, and by how much usage may miss its target by default, as in kube-controller-manager. */
const syncMilliseconds = 15_000;
const defaultTolerance = 0.1;

/** A PodMetrics of metrics.k8s.io. */
interface PodMetrics {
  readonly metadata: { readonly name: string };
  /** When its window ended, and how long that is, such as `15.1s`. */
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers: readonly { readonly usage: Readonly<Record<string, string>> }[];
}

/** An object that is scaled, with what its subresource `scale` says of it. */
interface Target {
  readonly object: KubernetesObject;
  readonly replicas: number;
  readonly selector: readonly Requirement[];
  /** The path of its replicas. */
  readonly field: string;
}

/** Why an autoscaler does nothing: the condition that says so, whose reason an Event has, too. */
class CannotScaleError extends Error {
  readonly condition: readonly [type: string, reason: string, message: string];
  readonly reason: string;

  constructor(reason: string, message: string, condition: CannotScaleError["condition"]) {
    super(message);
    this.reason = reason;
    this.condition = condition;
  }
}

const could = "the HPA controller was able to";

function noScale(why: string): CannotScaleError {
  const message = `the HPA controller was unable to get the target's current scale: ${why}`;
  return new CannotScaleError("FailedGetScale", why, ["AbleToScale", "FailedGetScale", message]);
}

/**
 * Sets the replicas of what has the subresource `scale` by what its pods use of CPU and memory, as metrics.k8s.io tells. Without a
 * server of that group, such as metrics-server, autoscalers are left alone.
 */
export function horizontalPodAutoscalerController(context: ControllerContext): Controller {
  const { objects, clock, report } = reporting(context, user, "horizontal-pod-autoscaler");
  const { readMetrics } = context;
  const histories = new Map<string, ScalingHistory>();
  return {
    watches: [autoscalers],
    requeues: "upkeep",
    keysOf: ({ object }) => [keyOf(object)],

    async reconcile(key) {
      const autoscaler = findByKey(objects, autoscalers, key);
      if (!autoscaler) histories.delete(key);
      if (!autoscaler || !readMetrics?.isServed()) return autoscaler && syncMilliseconds;
      const conditions = new Map((autoscaler.status?.conditions ?? []).map((each) => [each.type, each]));
      const set = (type: string, isTrue: boolean, reason: string, message: string): void => {
        const status = isTrue ? "True" : "False";
        const old = conditions.get(type);
        const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(clock.now());
        const since = lastTransitionTime && { lastTransitionTime };
        conditions.set(type, { type, status, reason, message, ...since });
      };
      let status: Status = { currentReplicas: 0, desiredReplicas: 0, ...autoscaler.status };
      try {
        const target = findTarget(autoscaler);
        set("AbleToScale", true, "SucceededGetScale", `${could} get the target's current scale`);
        status = { ...status, currentReplicas: target.replicas };
        // At first, all that is there counts as needed.
        if (!histories.has(key)) note(key, "proposals", target.replicas);
        const { replicas, why, metrics } = await decide(key, autoscaler, target, set);
        status = { ...status, desiredReplicas: replicas, currentMetrics: metrics };
        if (replicas !== target.replicas) {
          const scaled = copyJSON(target.object);
          setField(scaled, target.field, replicas);
          await objects.update(user, scaled);
          set("AbleToScale", true, "SucceededRescale", `${could} update the target scale to ${replicas}`);
          await report(autoscaler, "Normal", "SuccessfulRescale", `New size: ${replicas}; reason: ${why}`);
          note(key, "changes", replicas - target.replicas);
          status = { ...status, lastScaleTime: formatTime(clock.now()) };
        }
      } catch (error) {
        // Another write of the target came first: the metrics are no problem.
        if (!(error instanceof CannotScaleError)) throw error;
        const [type, reason, message] = error.condition;
        set(type, false, reason, message);
        await report(autoscaler, "Warning", error.reason, error.message);
      }
      const stored = objects.get(autoscalers, autoscaler.metadata.namespace, autoscaler.metadata.name!);
      const next = { ...status, conditions: [...conditions.values()] };
      if (stored && !isEqual(stored.status, next))
        await objects.update(user, { ...stored, status: next }, "status");
      return syncMilliseconds;
    },
  };

  /** Finds what an autoscaler scales. Throws if it has no scale. */
  function findTarget({ metadata, spec }: Autoscaler): Target {
    const { apiVersion = "", kind, name } = spec.scaleTargetRef;
    const { group } = parseApiVersion(apiVersion);
    const served = objects.findKind(group, kind);
    if (!served) throw noScale(`no matches for kind "${kind}" in group "${group}"`);
    if (!served.scale) throw noScale("the server could not find the requested resource");
    const object = objects.get(served.resource, metadata.namespace, name);
    const [plural, ...groups] = served.resource.split(".");
    if (!object) throw noScale(`${[`${plural}/scale`, ...groups].join(".")} "${name}" not found`);
    const { spec: field, selector: path } = served.scale;
    const selector = path === undefined ? undefined : readField<LabelSelector | string>(object, path);
    return {
      object,
      field,
      replicas: readField<number>(object, field) ?? 0,
      selector: readSelector(selector),
    };
  }

  /** Decides how many replicas there should be, and says of it in conditions. */
  async function decide(key: string, autoscaler: Autoscaler, target: Target, set: SetCondition) {
    const { minReplicas = 1, maxReplicas } = autoscaler.spec;
    const current = target.replicas;
    const metrics = autoscaler.status?.currentMetrics ?? [];
    if (current === 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      set("ScalingActive", false, "ScalingDisabled", message);
      return { replicas: 0, why: "", metrics };
    }
    if (current > maxReplicas)
      return { replicas: maxReplicas, why: "Current number of replicas above Spec.MaxReplicas", metrics };
    if (current < minReplicas)
      return { replicas: minReplicas, why: "Current number of replicas below Spec.MinReplicas", metrics };
    const { found, errors } = await readAll(autoscaler, target);
    const proposed = Math.max(0, ...found.map(({ replicas }) => replicas));
    for (const { why } of errors) await report(autoscaler, "Warning", "FailedGetResourceMetric", why);
    const [first] = errors;
    if (first && (found.length === 0 || proposed < current)) {
      const all = `invalid metrics (${errors.length} invalid out of ${found.length + errors.length})`;
      throw new CannotScaleError(
        "FailedComputeMetricsReplicas",
        `${all}, first error is: failed to get ${first.metric} value: ${first.why}`,
        [
          "ScalingActive",
          "FailedGetResourceMetric",
          `the HPA was unable to compute the replica count: ${first.why}`,
        ],
      );
    }
    const strongest = found.find(({ replicas }) => replicas === proposed)!.name;
    const message = `the HPA was able to successfully calculate a replica count from ${strongest}`;
    set("ScalingActive", true, "ValidMetricFound", message);
    const situation = { current, proposed, now: clock.now() };
    const { replicas, able, limited } = followRules(autoscaler.spec, situation, histories.get(key)!);
    note(key, "proposals", proposed);
    set("AbleToScale", true, ...able);
    set("ScalingLimited", ...limited);
    const why = proposed > current ? `${strongest} above target` : "All metrics below target";
    return { replicas, why, metrics: found.map(({ metric }) => metric) };
  }

  /** Reads the usage that each metric is about, with the replicas that it asks for; or why that can't be told. */
  async function readAll(autoscaler: Autoscaler, { selector, replicas: current }: Target) {
    const { namespace = "" } = autoscaler.metadata;
    if (selector.length === 0)
      throw new CannotScaleError("SelectorRequired", "selector is required", [
        "ScalingActive",
        "InvalidSelector",
        "the HPA target's scale is missing a selector",
      ]);
    const own = objects
      .list(pods, namespace)
      .filter(({ metadata: { labels = {} } }) => matchesRequirements(selector, labels));
    const found: Reading[] = [];
    const errors: { readonly metric: string; readonly why: string }[] = [];
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    const read = readMetrics!.get(path) as Promise<{ items?: readonly PodMetrics[] }>;
    const items = await read.then(
      ({ items: all = [] }) => all,
      (error: Error) => error.message,
    );
    const { metrics = [], behavior } = autoscaler.spec;
    for (const { type, resource } of metrics)
      try {
        if (type !== "Resource" || !resource)
          throw new Error(`metrics of the type ${type} are not read here`);
        found.push(readResource(resource, { own, items, current, behavior, now: clock.now() }));
      } catch (error) {
        errors.push({ metric: `${resource?.name} resource metric`, why: (error as Error).message });
      }
    return { found, errors };
  }

  function note(key: string, what: keyof ScalingHistory, replicas: number): void {
    const history = histories.get(key) ?? { proposals: [], changes: [] };
    const at = clock.now();
    const recent = history[what].filter((each) => at - each.at < 3_600_000);
    histories.set(key, { ...history, [what]: [...recent, { at, replicas }] });
  }
}

type SetCondition = (type: string, isTrue: boolean, reason: string, message: string) => void;

/** The requirements of a selector: a text, a LabelSelector, or a map of labels as ReplicationControllers have it. */
function readSelector(selector: LabelSelector | string = ""): readonly Requirement[] {
  if (typeof selector === "string") return parseLabelSelector(selector);
  const isMap = !("matchLabels" in selector) && !("matchExpressions" in selector);
  return toRequirements(isMap ? { matchLabels: selector as Record<string, string> } : selector);
}

/** How long pods may use the processor for their start, and how long they may take to say whether they are ready, as in kube-controller-manager. */
const startMilliseconds = 300_000;
const firstReadinessMilliseconds = 30_000;

/** The usage of a resource, and the replicas that would bring it to its target. */
interface Reading {
  readonly name: string;
  readonly metric: v2.MetricStatus;
  readonly replicas: number;
}

interface Readable {
  readonly own: readonly Pod[];
  /** Why there are none, otherwise. */
  readonly items: readonly PodMetrics[] | string;
  readonly current: number;
  readonly behavior: v2.HorizontalPodAutoscalerBehavior | undefined;
  readonly now: number;
}

/**
 * Computes the replicas that bring the usage of a resource to its target. Of the pods that can't be counted, those that begin use
 * nothing if more seem to be needed, and aren't there otherwise; those without metrics use nothing, or all that they should.
 */
function readResource({ name, target }: v2.ResourceMetricSource, readable: Readable): Reading {
  const { own, items, current, behavior, now } = readable;
  const isUtilization = target.averageValue === undefined;
  const fail = (why: string): never => {
    throw new Error(`failed to get ${name} ${isUtilization ? "utilization" : "usage"}: ${why}`);
  };
  const noMetrics = `unable to get metrics for resource ${name}:`;
  if (typeof items === "string")
    return fail(`${noMetrics} unable to fetch metrics from resource metrics API: ${items}`);
  if (items.length === 0) return fail(`${noMetrics} no metrics returned from resource metrics API`);
  if (own.length === 0) return fail("no pods returned by selector while calculating replica count");
  const metricsOf = new Map(items.map((each) => [each.metadata.name, each]));
  const counted = { ready: [] as Use[], beginning: [] as Use[], missing: [] as Use[] };
  const goal = isUtilization ? (target.averageUtilization ?? 100) : quantityToNumber(target.averageValue!);
  for (const pod of own) {
    const request = isUtilization ? requestOf(pod, name, fail) : 1;
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === "Failed") continue;
    const metrics = metricsOf.get(pod.metadata.name!);
    const used = metrics && usageOf(metrics, name);
    if (pod.status?.phase === "Pending") counted.beginning.push({ used: 0, request });
    else if (used === undefined) counted.missing.push({ used: 0, request });
    else if (name === "cpu" && isBeginning(pod, metrics!, now)) counted.beginning.push({ used: 0, request });
    else counted.ready.push({ used, request });
  }
  const { ready, beginning, missing } = counted;
  if (ready.length === 0) return fail("did not receive metrics for targeted pods (pods might be unready)");
  /** Usage in percent of what is requested, or for each pod. */
  const meanOf = (uses: readonly Use[]): number => {
    const requested = sum(uses.map(({ request }) => request));
    if (requested === 0) return fail("no metrics returned matched known pods");
    const mean = sum(uses.map(({ used }) => used)) / requested;
    // Go's integers are cut off; what floating-point numbers lack to a whole one is none.
    return isUtilization ? Math.trunc(mean * 100 + 1e-9) : mean;
  };
  const mean = meanOf(ready);
  const ratio = mean / goal;
  const most = isUtilization ? Math.max(100, goal) / 100 : goal;
  const careful = [
    ...ready,
    ...missing.map(({ request }) => ({ used: ratio < 1 ? request * most : 0, request })),
    ...(ratio > 1 ? beginning : []),
  ];
  const next = careful.length === ready.length ? ratio : meanOf(careful) / goal;
  const replicas = Math.ceil(next * careful.length - 1e-9);
  const isSteady =
    (next <= 1 + toleranceOf(behavior?.scaleUp) + 1e-9 &&
      next >= 1 - toleranceOf(behavior?.scaleDown) - 1e-9) ||
    next > 1 !== ratio > 1 ||
    (careful.length !== ready.length && replicas > current !== next > 1);
  const average = sum(ready.map(({ used }) => used)) / ready.length;
  const averageValue = name === "cpu" ? `${Math.trunc(average * 1000 + 1e-9)}m` : String(Math.trunc(average));
  return {
    name: isUtilization ? `${name} resource utilization (percentage of request)` : `${name} resource`,
    metric: {
      type: "Resource",
      resource: { name, current: { averageValue, ...(isUtilization && { averageUtilization: mean }) } },
    },
    replicas: isSteady ? current : replicas,
  };
}

function toleranceOf({ tolerance }: v2.HPAScalingRules = {}): number {
  return tolerance === undefined ? defaultTolerance : quantityToNumber(tolerance);
}

/** The usage of a pod, and its requests. */
interface Use {
  readonly used: number;
  readonly request: number;
}

/** Undefined if the usage of a container isn't known. */
function usageOf({ containers }: PodMetrics, name: string): number | undefined {
  const usages = containers.map(({ usage }) => usage[name]);
  return usages.length === 0 || usages.includes(undefined)
    ? undefined
    : sum(usages.map((each) => quantityToNumber(each!)));
}

/** True if a pod's use of the processor is that of its start, or the pod has never been ready. */
function isBeginning({ status }: Pod, { timestamp = "", window = "0s" }: PodMetrics, now: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (!ready || !status?.startTime) return true;
  const started = Date.parse(status.startTime);
  const changed = Date.parse(ready.lastTransitionTime ?? "");
  if (started + startMilliseconds <= now)
    return ready.status === "False" && started + firstReadinessMilliseconds > changed;
  return ready.status === "False" || Date.parse(timestamp) < changed + parseDuration(window);
}

/** Sums up what the containers of a pod request, restartable ones that begin before others included. */
function requestOf({ metadata, spec }: Pod, name: string, fail: (why: string) => never): number {
  const whole = spec.resources?.requests;
  if (whole) {
    const request = whole[name];
    return request === undefined
      ? fail(`missing pod-level request for ${name} in Pod ${metadata.name}`)
      : quantityToNumber(request);
  }
  const initial = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const requests = [...spec.containers, ...initial].map(({ name: container, resources }) => {
    const request = resources?.requests?.[name];
    return request === undefined
      ? fail(`missing request for ${name} in container ${container} of Pod ${metadata.name}`)
      : quantityToNumber(request);
  });
  return sum(requests);
}
