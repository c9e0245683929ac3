import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import { fieldText } from "../../../registry/field-text.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { declaredSubdomainName } from "../../../registry/validate-name.ts";
import { replicaCounts } from "../../apps/replica-counts.ts";
import { counts } from "../../apps/replica-set/rules.ts";
import {
  type Workload,
  type WorkloadSpec,
  defaultScaledSpec,
  endlessPods,
  templateWarnings,
} from "../../apps/workload-spec.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { readField } from "../../cells/read-field.ts";
import { replicas } from "../../apps/cells.ts";
import { hostnameWarning } from "../../checks/hostname-warning.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { validateTemplate } from "../pod-spec/validate.ts";
import { replicationControllerController } from "./controller/replication-controller-controller.ts";

type PlainSelector = Record<string, string>;

const replicationControllerStrategy: Partial<Strategy> = {
  validateName: declaredSubdomainName,
  default(object) {
    const isWithout = (object["spec"] as Partial<WorkloadSpec> | undefined)?.template === undefined;
    const spec = defaultScaledSpec(object) as WorkloadSpec & { selector?: PlainSelector };
    if (isWithout) delete spec.template;
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
  if (!spec.template) {
    yield required("spec.template");
    return;
  }
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

export const replicationController: BuiltInKind<"replicationcontroller"> = {
  resource: "replicationcontrollers",
  strategy: { ...replicationControllerStrategy, statusWritesMetadata: true },
  cells: {
    ...replicas,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  selectors: { "status.replicas": (object) => fieldText(object, "status.replicas") || "0" },
  podTemplate: "spec.template",
  emptyObject: { spec: {}, status: {} },
  controllers: { replicationcontroller: replicationControllerController },
  zeroValues: { status: { replicas: 0 } },
};
