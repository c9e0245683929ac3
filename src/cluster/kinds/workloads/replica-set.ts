import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Strategy } from "../../registry/resource.ts";
import { hostnameWarning } from "../checks/hostname-warning.ts";
import { nonNegative, type Problems } from "../checks/problems.ts";
import { defaultTemplate } from "../pod-spec/defaults.ts";
import type { PodTemplate } from "../pod-spec/types.ts";
import { validateTemplate } from "../pod-spec/validate.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import { replicaCounts } from "./replica-counts.ts";
import {
  chosenTemplate,
  defaultSpec,
  endlessPods,
  selectorChange,
  templateWarnings,
  type Workload,
  type WorkloadSpec,
} from "./shared.ts";

const counts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

export const replicaSetStrategy: Partial<Strategy> = {
  default(object) {
    defaultSpec(object);
    object["status"] = { replicas: 0, ...(object["status"] as object) };
  },
  validate: (object) => [...replicaSetProblems(object as Workload)],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status"
      ? [...replicaCounts(object, counts)]
      : [...replicaSetProblems(object as Workload), ...selectorChange(object, old)],
  *warnings(object, old) {
    if (!old) yield* hostnameWarning(object, "Pod names and hostnames");
    yield* templateWarnings(object, old);
  },
};

function* replicaSetProblems({ spec }: Workload): Problems {
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* chosenTemplate(spec, "deployment", "invalid label selector");
  yield* endlessPods(spec, "ReplicaSet");
}

type PlainSelector = Record<string, string>;

export const replicationControllerStrategy: Partial<Strategy> = {
  default(object) {
    const spec = defaultSpec(object) as WorkloadSpec & { selector?: PlainSelector };
    const labels = spec.template?.metadata?.labels;
    if (labels) {
      spec.selector ??= labels as LabelSelector & PlainSelector;
      object.metadata.labels ??= { ...labels };
    }
    object["status"] = { replicas: 0, ...(object["status"] as object) };
  },
  validate: (object) => [...controllerProblems(object as Workload)],
  validateUpdate: (object, _old, { subresource }) =>
    subresource === "status"
      ? [...replicaCounts(object, counts)]
      : [...controllerProblems(object as Workload)],
  *warnings(object, old) {
    if (!old) yield* hostnameWarning(object, "Pod names and hostnames");
    yield* templateWarnings(object, old);
  },
};

function* controllerProblems({ spec }: Workload): Problems {
  const selector = (spec.selector ?? {}) as PlainSelector;
  const labels = spec.template?.metadata?.labels ?? {};
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  if (Object.keys(selector).length === 0) yield required("spec.selector");
  yield* nonNegative("spec.replicas", spec.replicas);
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    const field = "spec.template.metadata.labels";
    yield invalid(
      field,
      spec.template?.metadata?.labels ?? null,
      "`selector` does not match template `labels`",
    );
  }
  yield* validateTemplate(spec.template, "spec.template");
  yield* endlessPods(spec, "ReplicationController");
}

interface TemplateObject extends ApiObject {
  template?: PodTemplate;
}

export const podTemplateStrategy: Partial<Strategy> = {
  default: (object) => void (object["template"] = defaultTemplate((object as TemplateObject).template)),
  validate: (object) => validateTemplate((object as TemplateObject).template, "template"),
  validateUpdate: (object) => validateTemplate((object as TemplateObject).template, "template"),
  *warnings(object, old) {
    const { template = {} } = object as TemplateObject;
    if (old && old.metadata.generation === object.metadata.generation) return;
    yield* podWarnings("template", template.spec ?? {}, template.metadata?.annotations);
  },
};
