import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../contract/api-object.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Strategy } from "../registry/resource.ts";

interface Lease extends ApiObject {
  spec?: { leaseDurationSeconds?: number; leaseTransitions?: number };
}

export const leaseStrategy: Partial<Strategy> = {
  default: (object) => void (object["spec"] ??= {}),
  validate: (object) => validateLease(object),
  validateUpdate: (object) => validateLease(object),
};

function validateLease({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
  }
  return errors;
}

export const ingressStrategy: Partial<Strategy> = {
  default(object) {
    object["status"] = { loadBalancer: {}, ...(object["status"] as object) };
  },
  validate(object) {
    const spec = (object["spec"] ?? {}) as { rules?: unknown[]; defaultBackend?: object };
    if (spec.rules?.length || spec.defaultBackend) return [];
    return [invalid("spec", null, "either `defaultBackend` or `rules` must be specified")];
  },
};

/** Events have fields that Go prints even when they are empty. */
export const eventStrategy: Partial<Strategy> = {
  default(object) {
    object["eventTime"] ??= null;
    if (object.apiVersion !== "v1") {
      for (const field of ["deprecatedFirstTimestamp", "deprecatedLastTimestamp"]) object[field] ??= null;
      return;
    }
    for (const field of ["firstTimestamp", "lastTimestamp"]) object[field] ??= null;
    for (const field of ["reportingComponent", "reportingInstance"]) object[field] ??= "";
  },
};

export const storageClassStrategy: Partial<Strategy> = {
  default(object) {
    object["reclaimPolicy"] ??= "Delete";
    object["volumeBindingMode"] ??= "Immediate";
  },
};

export const persistentVolumeStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    const spec = object["spec"] as {
      persistentVolumeReclaimPolicy?: string;
      volumeMode?: string;
      hostPath?: { type?: string };
    };
    if (spec.hostPath) spec.hostPath.type ??= "";
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
  },
  prepareForCreate(object, { now }) {
    object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
    const finalizer = "kubernetes.io/pv-protection";
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
  },
  prepareForUpdate(object, old, { subresource, now }) {
    if (subresource !== "status") return;
    const [status, before] = [object["status"], old["status"]] as Array<VolumeStatus | undefined>;
    if (
      status &&
      status.phase !== before?.phase &&
      status.lastPhaseTransitionTime === before?.lastPhaseTransitionTime
    )
      status.lastPhaseTransitionTime = formatTime(now);
  },
};

interface VolumeStatus {
  phase?: string;
  lastPhaseTransitionTime?: string;
}
