import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { type FieldError, forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/schema";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { ApiObject } from "../../../storage/api-object.ts";
import type { Strategy } from "../../resource.ts";
import { resetStatusAlone, takeOver } from "../default-strategy.ts";
import { defaultTemplate } from "./default-pod-spec.ts";
import { defaultClaim, type Claim } from "./persistent-volume-claim.ts";
import type { PodTemplate } from "./pod-types.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

interface Update {
  type?: string;
  rollingUpdate?: { maxSurge?: unknown; maxUnavailable?: unknown; partition?: number };
}

interface Workload extends ApiObject {
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    template?: PodTemplate;
    strategy?: Update;
    updateStrategy?: Update;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    podManagementPolicy?: string;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    volumeClaimTemplates?: Claim[];
    serviceName?: string;
    ordinals?: unknown;
    minReadySeconds?: number;
  };
}

export const deploymentStrategy: Partial<Strategy> = {
  /** A rollout's annotations count as a change of the spec. */
  specChanged: (object, old, subresource) =>
    !isEqual((object as Workload).spec, (old as Workload).spec) ||
    (subresource !== "status" && !isEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})),
  resetFields(object, old, subresource) {
    resetStatusAlone(object, old, subresource);
    if (subresource === "status") takeOver(object.metadata, old!.metadata, "labels");
  },
  default(object) {
    const spec = specOf(object);
    spec.strategy ??= {};
    defaultRolling(spec.strategy, { maxUnavailable: "25%", maxSurge: "25%" });
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    object["status"] ??= {};
  },
  validate(object) {
    const { spec } = object as Workload;
    const supported = ["Recreate", "RollingUpdate"];
    const { strategy } = spec;
    const known = supported.includes(strategy?.type ?? "");
    const shown = { Type: strategy?.type, RollingUpdate: strategy?.rollingUpdate ?? null };
    return [
      ...validateWorkload(object as Workload),
      ...(known ? [] : [unsupportedStrategy(shown, supported)]),
    ];
  },
  validateUpdate: (object, old) => [...validateWorkload(object as Workload), ...selectorChange(object, old)],
};

export const podTemplateStrategy: Partial<Strategy> = {
  default: (object) =>
    void (object["template"] = defaultTemplate(object["template"] as PodTemplate | undefined)),
};

export const replicaSetStrategy: Partial<Strategy> = {
  default(object) {
    specOf(object);
    object["status"] = { replicas: 0, ...(object["status"] as object) };
  },
  validate: (object) => validateWorkload(object as Workload),
  validateUpdate: (object, old) => [...validateWorkload(object as Workload), ...selectorChange(object, old)],
};

export const replicationControllerStrategy: Partial<Strategy> = {
  default(object) {
    const spec = specOf(object) as Workload["spec"] & { selector?: Record<string, string> };
    const labels = spec.template?.metadata?.labels;
    if (labels) {
      spec.selector ??= labels as LabelSelector & Record<string, string>;
      object.metadata.labels ??= { ...labels };
    }
    object["status"] = { replicas: 0, ...(object["status"] as object) };
  },
};

export const daemonSetStrategy: Partial<Strategy> = {
  default(object) {
    const spec = specOf(object);
    delete spec.replicas;
    spec.updateStrategy ??= {};
    defaultRolling(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 });
    spec.revisionHistoryLimit ??= 10;
    const annotation = "deprecated.daemonset.template.generation";
    const generation = String(object.metadata.generation ?? 1);
    object.metadata.annotations = { [annotation]: generation, ...object.metadata.annotations };
    object["status"] = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      ...(object["status"] as object),
    };
  },
  validate: (object) => validateWorkload(object as Workload),
  validateUpdate: (object, old) => [...selectorChange(object, old), ...validateWorkload(object as Workload)],
};

/** What may change in the spec of a StatefulSet. */
const changeable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

export const statefulSetStrategy: Partial<Strategy> = {
  default(object) {
    const spec = specOf(object);
    spec.podManagementPolicy ||= "OrderedReady";
    spec.updateStrategy ??= {};
    defaultRolling(spec.updateStrategy, { partition: 0 });
    spec.revisionHistoryLimit ??= 10;
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion ||= "v1";
      claim.kind ||= "PersistentVolumeClaim";
      defaultClaim(claim);
    }
    object["status"] = { replicas: 0, availableReplicas: 0, ...(object["status"] as object) };
  },
  validate: (object) => validateWorkload(object as Workload),
  validateUpdate(object, old) {
    const [now, before] = [{ ...(object as Workload).spec }, { ...(old as Workload).spec }];
    for (const field of changeable) {
      delete now[field];
      delete before[field];
    }
    const names = changeable.map((field) => `'${field}'`);
    const detail = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are forbidden`;
    const errors = validateWorkload(object as Workload);
    return isEqual(now, before) ? errors : [...errors, forbidden("spec", detail)];
  },
};

function unsupportedStrategy(shown: object, supported: readonly string[]): FieldError {
  const error = notSupported("spec.strategy", shown, supported);
  return { ...error, body: `Unsupported value: ${JSON.stringify(shown)}: ${error.detail}` };
}

/** The defaults that all of them share. */
function specOf(object: ApiObject): Workload["spec"] {
  object["spec"] ??= {};
  const { spec } = object as Workload;
  spec.replicas ??= 1;
  spec.template = defaultTemplate(spec.template);
  return spec;
}

function defaultRolling(update: Update, rolling: NonNullable<Update["rollingUpdate"]>): void {
  update.type ||= "RollingUpdate";
  if (update.type === "RollingUpdate") update.rollingUpdate = { ...rolling, ...update.rollingUpdate };
}

function validateWorkload({ spec }: Workload): FieldError[] {
  const errors: FieldError[] = [];
  const { replicas = 0, selector, template } = spec;
  if (replicas < 0) errors.push(invalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  const labels = template?.metadata?.labels;
  if (!selector) errors.push(required("spec.selector"));
  else if (isEmpty(selector)) {
    errors.push(invalid("spec.selector", selector, "empty selector is invalid for deployment"));
  }
  if (!matchesLabelSelector(selector, labels ?? {})) {
    const field = "spec.template.metadata.labels";
    errors.push(invalid(field, labels ?? null, "`selector` does not match template `labels`"));
  }
  return [...errors, ...validatePodSpec(template?.spec ?? {}, "spec.template.spec")];
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function selectorChange(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [(object as Workload).spec.selector, (old as Workload).spec.selector];
  return isEqual(now, before) ? [] : [invalid("spec.selector", now, "field is immutable")];
}
