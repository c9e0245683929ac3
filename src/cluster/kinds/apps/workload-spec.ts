import { type FieldError, forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { IntOrString } from "@tsbuilder/apimachinery/meta";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Sent } from "../../contract/sent.ts";
import { isEmptySelector, isUsable, selectorProblems } from "../checks/label-selector.ts";
import { checkPercent } from "../checks/names.ts";
import { nonNegative, type Problems, refused } from "../checks/problems.ts";
import { defaultTemplate } from "../core/pod-spec/defaults.ts";
import { validateTemplate } from "../core/pod-spec/validate.ts";
import { podWarnings } from "../core/pod-spec/warnings.ts";

/** What the specs of workloads have in common. */
export type WorkloadSpec = Sent<
  Pick<DeploymentSpec, "replicas" | "selector" | "template" | "revisionHistoryLimit" | "minReadySeconds">
>;

/** What the strategies by which workloads are updated have in common. */
interface UpdateStrategy<RollingUpdate extends object> {
  type?: string | undefined;
  rollingUpdate?: RollingUpdate | undefined;
}

export interface Workload extends ApiObject {
  spec: WorkloadSpec;
}

/** The defaults that all workloads share. */
export function defaultSpec(object: ApiObject): WorkloadSpec {
  object["spec"] ??= {};
  const { spec } = object as Workload;
  spec.template = defaultTemplate(spec.template);
  return spec;
}

/** How many old revisions a workload keeps to roll back to. */
export const defaultHistoryLimit = 10;

/** The defaults of workloads that can be scaled. */
export function defaultScaledSpec(object: ApiObject): WorkloadSpec {
  const spec = defaultSpec(object);
  spec.replicas ??= 1;
  return spec;
}

export function defaultRolling<RollingUpdate extends object>(
  update: UpdateStrategy<RollingUpdate>,
  rolling: RollingUpdate,
): void {
  update.type ||= "RollingUpdate";
  if (update.type === "RollingUpdate") update.rollingUpdate = { ...rolling, ...update.rollingUpdate };
}

/** What a selector must be, and the template that it chooses; `kind` is the one that messages name. */
export function* chosenTemplate(spec: WorkloadSpec, kind: string, unusable: string): Problems {
  const { selector } = spec;
  if (!selector) yield required("spec.selector");
  else {
    yield* selectorProblems("spec.selector", selector);
    if (isEmptySelector(selector)) {
      yield invalid("spec.selector", selector, `empty selector is invalid for ${kind}`);
    }
  }
  if (isUsable(selector)) {
    yield* matchingLabels(spec);
    yield* validateTemplate(spec.template, "spec.template");
  } else yield invalid("spec.selector", selector, unusable);
}

/** A selector that is not there chooses nothing. */
export function* matchingLabels({ selector, template }: WorkloadSpec): Problems {
  const labels = template?.metadata?.labels;
  if (selector && isEmptySelector(selector)) return;
  if (selector && matchesLabelSelector(selector, labels ?? {})) return;
  const field = "spec.template.metadata.labels";
  yield invalid(field, labels ?? null, "`selector` does not match template `labels`");
}

/** Pods of workloads run for ever. */
export function* endlessPods({ template }: WorkloadSpec, kind: string): Problems {
  const { restartPolicy, activeDeadlineSeconds } = template?.spec ?? {};
  if (restartPolicy !== "Always") {
    yield notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]);
  }
  if (activeDeadlineSeconds !== undefined) {
    const field = "spec.template.spec.activeDeadlineSeconds";
    yield forbidden(field, `activeDeadlineSeconds in ${kind} is not Supported`);
  }
}

export function selectorChange(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [(object as Workload).spec.selector, (old as Workload).spec.selector];
  return isEqual(now, before) ? [] : [invalid("spec.selector", now ?? null, "field is immutable")];
}

/** A strategy of which the server shows the whole struct. */
export function unsupportedUpdate(
  field: string,
  update: UpdateStrategy<object>,
  types: readonly string[],
): FieldError {
  const shown = { Type: update.type ?? "", RollingUpdate: update.rollingUpdate ?? null };
  const error = notSupported(field, shown, types);
  return { ...error, body: `Unsupported value: ${JSON.stringify(shown)}: ${error.detail}` };
}

export function* intOrPercent(field: string, value: IntOrString = 0): Problems {
  if (typeof value === "number") yield* nonNegative(field, value);
  else yield* refused(field, value, checkPercent(value));
}

export function* notMoreThanAll(field: string, value: IntOrString = 0): Problems {
  if (isPercent(value) && amountOf(value) > 100) {
    yield invalid(field, value, "must not be greater than 100%");
  }
}

/** The number, of pods or of percent; a text that is no percentage counts as none. */
export function amountOf(value: IntOrString = 0): number {
  if (typeof value === "number") return value;
  return isPercent(value) ? Number(value.slice(0, -1)) : Number(/^-?\d+$/.exec(value)?.[0] ?? 0);
}

function isPercent(value: IntOrString): value is string {
  return typeof value === "string" && checkPercent(value).length === 0;
}

/** What is odd about the pods of a workload: said for a new one, and for a new generation. */
export function* templateWarnings(object: ApiObject, old: ApiObject | undefined): Generator<string, void> {
  if (old && old.metadata.generation === object.metadata.generation) return;
  const { template = {} } = (object as Workload).spec;
  yield* podWarnings("spec.template", template.spec ?? {}, template.metadata?.annotations);
}
