import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { type FieldError, invalid, required } from "@tsbuilder/apimachinery/errors";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { fieldText } from "../../registry/resource.ts";
import { declaredSubdomainName } from "../../registry/validate-metadata.ts";
import type { Workload, WorkloadSpec } from "../apps/workload.ts";
import {
  replicaSetCounts,
  defaultScaledSpec,
  restartPolicyProblems,
  replicaCountProblems,
  replicaCells,
  workloadWarnings,
} from "../apps/workload.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { formatSelector, readField } from "../cells.ts";
import { type Problems, nonNegative } from "../checks/problems.ts";
import { podTemplateProblems } from "./pod-spec/validate.ts";
import type { Controller, ControllerContext } from "../../control-loop/controller.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../apps/replica-set/replica-set-controller.ts";
import { replicatingController } from "../apps/replica-set/replica-set-controller.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Defaulted } from "../../control-loop/api/core.ts";
import type { ApiObject, Stored } from "../../contract/api-object.ts";
import { isEqual } from "@tsbuilder/apimachinery/json";

type PlainSelector = Record<string, string>;

export const replicationController: BuiltInKind<"replicationcontroller"> = {
  resource: "replicationcontrollers",
  strategy: {
    statusWritesMetadata: true,
    validateName: declaredSubdomainName,
    default(object) {
      const spec = defaultScaledSpec(object) as WorkloadSpec & { selector?: PlainSelector };
      const labels = spec.template?.metadata?.labels;
      if (labels) {
        spec.selector ??= labels as LabelSelector & PlainSelector;
        object.metadata.labels ??= { ...labels };
      }
    },
    validate: (object) => [...replicationControllerProblems(object as Workload)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...replicaCountProblems(object, replicaSetCounts)]
        : [...replicationControllerProblems(object as Workload), ...selectorChanges(object, old)],
    warnings: (object, old) => workloadWarnings(object, old),
  },
  cells: {
    ...replicaCells,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  selectors: { "status.replicas": (object) => fieldText(object, "status.replicas") || "0" },
  podTemplate: "spec.template",
  controllers: { replicationcontroller: replicationControllerController },
};

export type ReplicationController = Defaulted<Stored<core.ReplicationController>, "replicas">;

export const replicationControllers: ResourceName<ReplicationController> = "replicationcontrollers";

function* replicationControllerProblems({ spec }: Workload): Problems {
  const selector = (spec.selector ?? {}) as PlainSelector;
  const labels = spec.template?.metadata?.labels ?? {};
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  if (Object.keys(selector).length === 0) yield required("spec.selector");
  yield* nonNegative("spec.replicas", spec.replicas);
  if (!spec.template) return yield required("spec.template");
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value)) {
    const shown = spec.template.metadata?.labels ?? null;
    yield invalid("spec.template.metadata.labels", shown, "`selector` does not match template `labels`");
  }
  yield* podTemplateProblems(spec.template, "spec.template");
  yield* restartPolicyProblems(spec, "ReplicationController");
}

const nonConvertible = "non-convertible.kubernetes.io/spec.selector";

/** A selector that this kind can't express, which the annotation says, stays. */
function selectorChanges(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [object, old].map((each) => (each as Workload).spec.selector ?? {});
  if (old.metadata.annotations?.[nonConvertible] === undefined || isEqual(now, before)) return [];
  return [invalid("spec.selector", now, "cannot update non-convertible selector")];
}

function replicationControllerController(context: ControllerContext): Controller {
  return replicatingController(context, {
    resource: replicationControllers,
    kind: "ReplicationController",
    user: "replication",
    component: "replication-controller",
    asReplicaSet,
    withStatus,
  });
}

/** Presents a ReplicationController, whose selector is a map of labels, as a ReplicaSet. */
function asReplicaSet({ spec, status, ...object }: ReplicationController): ReplicaSet {
  const selector = { matchLabels: spec.selector };
  return { ...object, spec: { ...spec, selector }, ...(status && { status }) };
}

/** Sets the status, which unlike that of a ReplicaSet doesn't count terminating pods. */
function withStatus(
  object: ReplicationController,
  { terminatingReplicas: _terminating, ...status }: ReplicaSetStatus,
): ReplicationController {
  return { ...object, status };
}
