import { isEqual } from "@tsbuilder/apimachinery/json";
import { findController } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { configMaps, type Pod, type PodStatus, pods, secrets } from "../../control-loop/api/core.ts";
import type { Controller } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { isFinished } from "../../control-loop/pods/pod-state.ts";
import { chooseStage } from "../stages/choose-stage.ts";
import type { StagesContext } from "../stages/stages-context.ts";
import { nodeAddress } from "../../kinds/core/node/controller/fake-node.ts";
import { type Reference, requiredReferences } from "./missing-references.ts";
import { PodAddresses } from "./pod-addresses.ts";
import {
  observed,
  overdueStatus,
  runningStatus,
  succeededStatus,
  waitingStatus,
  withReadiness,
  withResources,
} from "./running-status.ts";

/** How long the pod of a Job runs, in milliseconds. */
const jobDuration = 1000;

/**
 * Simulates a kubelet: a pod with a node becomes ready once the ConfigMaps and Secrets that it needs exist,
 * the pod of a Job succeeds after a second, one that outlives its `activeDeadlineSeconds` fails, and a pod that is
 * being deleted is removed. A pod that matches one of the user's stages is left to that stage.
 */
export function kubelet({ objects, clock, stages = [] }: StagesContext): Controller {
  const addresses = new PodAddresses();
  return {
    watches: [pods, configMaps, secrets],

    /** A pending pod may be waiting for this ConfigMap or Secret. */
    keysOf({ type, resource, object }) {
      if (type === "DELETED") return [];
      if (resource === pods) return [keyOf(object)];
      const waiting = objects
        .list(pods, object.metadata.namespace)
        .filter(({ status }) => status?.phase === "Pending");
      return waiting.map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod?.spec.nodeName || chooseStage(stages, pod)) return undefined;
      const user = `system:node:${pod.spec.nodeName}`;
      if (pod.metadata.deletionTimestamp) {
        await objects.delete(user, pod, { uid: pod.metadata.uid, gracePeriodSeconds: 0 });
        return undefined;
      }
      if (isFinished(pod)) return undefined;
      const status = observed(pod, nextStatus(pod));
      if (!isEqual(status, pod.status)) await objects.update(user, { ...pod, status }, "status");
      return nextChange({ ...pod, status });
    },
  };

  function nextStatus(pod: Pod): PodStatus {
    const now = formatTime(clock.now());
    const runs = pod.status?.phase === "Running";
    if (untilJobEnds(pod) === 0) return succeededStatus(pod, now);
    if (untilDeadline(pod) === 0) return overdueStatus(pod, now);
    const missing = runs ? [] : missingReferences(pod);
    if (missing.length > 0) return waitingStatus(pod, missing, now);
    if (!runs) return runningStatus(pod, homeOf(pod), now);
    return withResources(pod, withReadiness(pod, now));
  }

  function missingReferences(pod: Pod): Reference[] {
    return requiredReferences(pod).filter(({ resource, name }) => {
      return objects.get(resource, pod.metadata.namespace, name) === undefined;
    });
  }

  function homeOf(pod: Pod): { podIP: string; hostIP: string } {
    if (pod.spec.hostNetwork) return { podIP: nodeAddress, hostIP: nodeAddress };
    const inUse = objects.list(pods).flatMap(({ status }) => (status?.podIP ? [status.podIP] : []));
    return { podIP: addresses.take(new Set(inUse)), hostIP: nodeAddress };
  }

  function nextChange(pod: Pod): number | undefined {
    if (isFinished(pod)) return undefined;
    const times = [untilDeadline(pod), untilJobEnds(pod)].filter((time) => time !== undefined);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  function untilDeadline({ spec, status }: Pod): number | undefined {
    const { activeDeadlineSeconds } = spec;
    if (activeDeadlineSeconds === undefined || !status?.startTime) return undefined;
    return Math.max(0, Date.parse(status.startTime) + activeDeadlineSeconds * 1000 - clock.now());
  }

  function untilJobEnds(pod: Pod): number | undefined {
    if (pod.spec.restartPolicy === "Always" || findController(pod)?.kind !== "Job") return undefined;
    // One that is waiting ends a second after it runs.
    if (pod.status?.phase !== "Running") return undefined;
    const [container] = pod.status.containerStatuses ?? [];
    const since = container?.state?.running?.startedAt ?? pod.status.startTime;
    const started = Date.parse(since ?? "") || clock.now();
    return Math.max(0, started + jobDuration - clock.now());
  }
}
