import type { Condition, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { findCondition, isConditionTrue, podProblem } from "@tsbuilder/apimachinery/meta";

/** Whether an object does what it is there for, and what is missing if it doesn't. */
export interface Readiness {
  readonly isReady: boolean;
  /** Empty if nothing can be said: `1 of 3 ready`. */
  readonly message: string;
}

/** The fields of built-in kinds that tell whether they are ready. */
interface Observable extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly phase?: string;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * Returns whether an object is ready. Workloads are ready when they are rolled out, Pods when they serve or have
 * succeeded, and Jobs when they are complete. An object of any other kind is ready when it exists: nothing that all
 * kinds have says more. A status of an earlier generation never counts.
 */
export function readinessOf(object: KubernetesObject): Readiness {
  const late = lateness(object);
  if (late !== undefined) return { isReady: false, message: late };
  const { status = {} } = object as Observable;
  switch (`${object.apiVersion} ${object.kind}`) {
    case "apps/v1 Deployment":
    case "apps/v1 ReplicaSet":
    case "apps/v1 StatefulSet":
    case "v1 ReplicationController":
      return replicasReadiness(object);
    case "apps/v1 DaemonSet": {
      const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status;
      const { type } = (object as Observable).spec?.updateStrategy ?? {};
      // With OnDelete, pods keep their revision until somebody deletes them.
      const updated = type === "OnDelete" ? desiredNumberScheduled : updatedNumberScheduled;
      return countReadiness(desiredNumberScheduled, updated, numberAvailable);
    }
    case "batch/v1 Job": {
      const failed = findCondition(status.conditions, "Failed");
      if (failed?.status === "True") return { isReady: false, message: `failed: ${failed.message}` };
      return { isReady: isConditionTrue(status.conditions, "Complete"), message: "not complete" };
    }
    case "v1 Pod":
      return {
        isReady: status.phase === "Succeeded" || isConditionTrue(status.conditions, "Ready"),
        message: podProblem(object)?.message ?? status.phase ?? "",
      };
    default:
      return { isReady: true, message: "" };
  }
}

/** Returns why the status of an object doesn't count; undefined if it does. */
export function lateness(object: KubernetesObject): string | undefined {
  const { generation = 0, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return "it is being deleted";
  // A kind without the field says nothing about its generation; a new workload has no status yet.
  const { observedGeneration } = (object as Observable).status ?? {};
  const observed = observedGeneration ?? (object.apiVersion === "apps/v1" ? 0 : generation);
  return observed < generation ? "its last change is not observed yet" : undefined;
}

function replicasReadiness(object: KubernetesObject): Readiness {
  const { kind, spec = {}, status = {} } = object as Observable;
  const { replicas: wanted = 1, updateStrategy = {} } = spec;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, availableReplicas } = status;
  const ready = availableReplicas ?? readyReplicas;
  switch (kind) {
    case "Deployment": {
      const counted = countReadiness(wanted, updatedReplicas, ready);
      if (!counted.isReady || replicas <= updatedReplicas) return counted;
      return { isReady: false, message: `${replicas - updatedReplicas} old pods are not gone` };
    }
    case "StatefulSet": {
      const { type = "RollingUpdate", rollingUpdate = {} } = updateStrategy;
      // Pods below the partition keep their revision, and with OnDelete all do until somebody deletes them.
      const toUpdate = type === "OnDelete" ? 0 : wanted - (rollingUpdate.partition ?? 0);
      return updatedReplicas < toUpdate
        ? { isReady: false, message: `${updatedReplicas} of ${toUpdate} updated` }
        : countReadiness(wanted, wanted, readyReplicas);
    }
    default:
      return countReadiness(wanted, wanted, ready);
  }
}

function countReadiness(wanted: number, updated: number, ready: number): Readiness {
  if (updated < wanted && ready >= wanted)
    return { isReady: false, message: `${updated} of ${wanted} updated` };
  return { isReady: ready >= wanted && updated >= wanted, message: `${ready} of ${wanted} ready` };
}
