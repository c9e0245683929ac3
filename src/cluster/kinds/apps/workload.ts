import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { invalid, invalidStruct, required, forbidden, notSupported } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { LabelSelector, IntOrString } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { Container } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { isEmptySelector, isValidSelector, selectorProblems, selectorStruct } from "../checks/meta-types.ts";
import { checkPercent, hostnameWarning } from "../checks/names.ts";
import { type Problems, nonNegative, refused } from "../checks/problems.ts";
import type { PodTemplateSpec } from "../core/pod-spec/types.ts";
import { defaultTemplate } from "../core/pod-spec/defaults.ts";
import { podTemplateProblems } from "../core/pod-spec/validate.ts";
import { podWarnings } from "../core/pod-spec/warnings.ts";
import type { CellReader } from "../../registry/resource.ts";
import { count, formatSelector, readField } from "../cells.ts";

/** The common fields of workload specs. */
export type WorkloadSpec = Sent<
  Pick<DeploymentSpec, "replicas" | "selector" | "template" | "revisionHistoryLimit" | "minReadySeconds">
>;

export interface Workload extends ApiObject {
  spec: WorkloadSpec;
}

/** Sets the defaults of all workloads. */
export function defaultSpec(object: ApiObject): WorkloadSpec {
  const { spec } = object as Workload;
  defaultTemplate(spec.template);
  return spec;
}

/** Sets the defaults of workloads with replicas. */
export function defaultScaledSpec(object: ApiObject): WorkloadSpec {
  const spec = defaultSpec(object);
  spec.replicas ??= 1;
  return spec;
}

/** The common fields of update strategies. */
interface UpdateStrategy<RollingUpdate extends object> {
  type?: string | undefined;
  rollingUpdate?: RollingUpdate | undefined;
}

export function defaultRollingUpdate<RollingUpdate extends object>(
  update: UpdateStrategy<RollingUpdate>,
  rolling: RollingUpdate,
): void {
  if (update.type === "RollingUpdate") update.rollingUpdate = { ...rolling, ...update.rollingUpdate };
}

/**
 * Validates a selector and the template that it must match. `kind` is the kind in the message about an empty selector,
 * `unusable` the message about an invalid one.
 */
export function* templateProblems(spec: WorkloadSpec, kind: string, unusable: string): Problems {
  const { selector } = spec;
  if (!selector) yield required("spec.selector");
  else {
    yield* selectorProblems("spec.selector", selector);
    if (isEmptySelector(selector)) {
      yield invalid("spec.selector", selector, `empty selector is invalid for ${kind}`);
    }
  }
  if (isValidSelector(selector)) {
    yield* templateLabelProblems(spec.selector, spec.template);
    yield* podTemplateProblems(spec.template, "spec.template");
  } else {
    yield invalidStruct("spec.selector", selectorStruct(selector!), unusable);
  }
}

/** Reports a selector that does not match the labels of its template. An absent selector matches nothing. */
export function* templateLabelProblems(selector?: LabelSelector, template?: PodTemplateSpec): Problems {
  const labels = template?.metadata?.labels;
  if (selector && isEmptySelector(selector)) return;
  if (selector && matchesLabelSelector(selector, labels ?? {})) return;
  const field = "spec.template.metadata.labels";
  yield invalid(field, labels ?? null, "`selector` does not match template `labels`");
}

/** Pods of workloads must restart always and have no deadline. */
export function* restartPolicyProblems({ template }: WorkloadSpec, kind: string): Problems {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") {
    yield notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]);
  }
  if (activeDeadlineSeconds !== undefined) {
    const field = "spec.template.spec.activeDeadlineSeconds";
    yield forbidden(field, `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

export function selectorChanges(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [(object as Workload).spec.selector, (old as Workload).spec.selector];
  return isEqual(now, before) ? [] : [invalid("spec.selector", now ?? null, "field is immutable")];
}

/** The error for an unsupported strategy, in which the server shows the whole struct. */
export function unsupportedStrategy(
  field: string,
  update: UpdateStrategy<object>,
  types: readonly string[],
): FieldError {
  const shown = { Type: update.type ?? "", RollingUpdate: update.rollingUpdate ?? null };
  const error = notSupported(field, shown, types);
  return { ...error, body: `Unsupported value: ${JSON.stringify(shown)}: ${error.detail}` };
}

export function* intOrPercentProblems(field: string, value: IntOrString = 0): Problems {
  if (typeof value === "number") yield* nonNegative(field, value);
  else yield* refused(field, value, checkPercent(value));
}

export function* percentProblems(field: string, value: IntOrString = 0): Problems {
  if (isPercent(value) && amountOf(value) > 100) yield invalid(field, value, "must not be greater than 100%");
}

/** Returns the number of pods or of percent; any other string counts as 0. */
export function amountOf(value: IntOrString = 0): number {
  if (typeof value === "number") return value;
  return isPercent(value) ? Number(value.slice(0, -1)) : Number(/^-?\d+$/.exec(value)?.[0] ?? 0);
}

function isPercent(value: IntOrString): value is string {
  return typeof value === "string" && checkPercent(value).length === 0;
}

/** The warnings about the pod template at a path, on creation and for each new generation. */
export function* templateWarnings(
  object: ApiObject,
  old: ApiObject | undefined,
  path = "spec.template",
): Generator<string, void> {
  if (old && old.metadata.generation === object.metadata.generation) return;
  const template = readField<PodTemplateSpec>(object, path);
  yield* podWarnings(path, template?.spec ?? {}, template?.metadata?.annotations);
}

/** The warnings of workloads whose name is also part of their pods' names. */
export function* workloadWarnings(
  object: ApiObject,
  old: ApiObject | undefined,
  path?: string,
): Generator<string, void> {
  if (!old) yield* hostnameWarning(object, "Pod names and hostnames");
  yield* templateWarnings(object, old, path);
}

/** The counts in the status of a ReplicaSet and a ReplicationController besides `replicas`. */
export const replicaSetCounts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
export const selectorCell: CellReader = (object) => formatSelector(readField(object, "spec.selector"));
export const templateCells = containerCells("spec.template.spec");

export const replicaCells: Readonly<Record<string, CellReader>> = {
  Desired: count("spec.replicas"),
  Current: count("status.replicas"),
  Ready: count("status.readyReplicas"),
  ...templateCells,
  Selector: selectorCell,
};

const otherCounts = ["observedGeneration", "unavailableReplicas", "terminatingReplicas", "collisionCount"];

/** A collision that was counted stays counted. */
export function* collisionProblems(object: ApiObject, old: ApiObject): Problems {
  const [now, before] = [object, old].map((each) => readField<number>(each, "status.collisionCount"));
  if (before !== undefined && (now ?? -1) < before)
    yield invalid("status.collisionCount", now ?? 0, "cannot be decremented");
}

/** Validates the counts in a status: none is negative, and no part exceeds the total. */
export function* replicaCountProblems(
  object: ApiObject,
  parts: readonly string[],
  ready = "readyReplicas",
): Problems {
  const status = (object["status"] ?? {}) as Record<string, number | undefined>;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of ["replicas", ...parts, ...otherCounts])
    yield* nonNegative(`status.${name}`, status[name]);
  for (const name of parts) {
    const count = status[name] ?? 0;
    if (count > replicas) yield invalid(`status.${name}`, count, "cannot be greater than status.replicas");
  }
  if (availableReplicas > readyReplicas) {
    yield invalid("status.availableReplicas", availableReplicas, `cannot be greater than ${ready}`);
  }
}

export function containerCells(path: string): Record<string, CellReader> {
  const containers = (object: object) => readField<Container[]>(object, `${path}.containers`) ?? [];
  return {
    Containers: (object) =>
      containers(object)
        .map(({ name }) => name)
        .join(","),
    Images: (object) =>
      containers(object)
        .map(({ image = "" }) => image)
        .join(","),
  };
}

export const readyCell: CellReader = (object) =>
  `${count("status.readyReplicas")(object)}/${count("spec.replicas")(object)}`;
