import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count } from "../../cells.ts";
import {
  amountOf,
  templateProblems,
  defaultRollingUpdate,
  defaultScaledSpec,
  restartPolicyProblems,
  intOrPercentProblems,
  percentProblems,
  readyCell,
  replicaCountProblems,
  selectorCell,
  selectorChanges,
  templateCells,
  unsupportedStrategy,
  workloadWarnings,
} from "../workload.ts";
import { emptyTemplate } from "../../core/pod-spec/types.ts";
import { deploymentController } from "./deployment-controller.ts";
import type { Sent, SentObject } from "../../../contract/sent.ts";
import { resetStatusAlone, takeOver } from "../../../registry/default-strategy.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { knownValues } from "../../checks/known-values.ts";

type DeploymentSpec = Sent<apps.DeploymentSpec>;
type Deployment = SentObject<DeploymentSpec>;

export const deployment: BuiltInKind<"deployment"> = {
  resource: "deployments.apps",
  strategy: {
    statusWritesMetadata: true,
    /** A change of annotations increments the generation, too. */
    specChanged: (object, old, subresource) =>
      !isEqual((object as Deployment).spec, (old as Deployment).spec) ||
      (subresource !== "status" &&
        !isEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})),
    resetFields(object, old, subresource) {
      resetStatusAlone(object, old, subresource);
      if (subresource === "status") takeOver(object.metadata, old!.metadata, "labels");
    },
    default(object) {
      defaultScaledSpec(object);
      const { spec } = object as Deployment;
      spec.strategy ??= {};
      defaultRollingUpdate(spec.strategy, { maxUnavailable: "25%", maxSurge: "25%" });
      spec.revisionHistoryLimit ??= 10;
      spec.progressDeadlineSeconds ??= 600;
      object["status"] ??= {};
    },
    validate: (object) => [...deploymentProblems(object as Deployment)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...replicaCountProblems(object, ["updatedReplicas", "readyReplicas", "availableReplicas"])]
        : [...deploymentProblems(object as Deployment), ...selectorChanges(object, old)],
    warnings: (object, old) => workloadWarnings(object, old),
  },
  cells: {
    Ready: readyCell,
    "Up-to-date": count("status.updatedReplicas"),
    Available: count("status.availableReplicas"),
    ...templateCells,
    Selector: selectorCell,
  },
  podTemplate: "spec.template",
  emptyObject: { spec: { emptyTemplate, strategy: {} }, status: {} },
  controllers: { deployment: deploymentController },
  zeroValues: { spec: { replicas: 0, selector: null } },
};

function* deploymentProblems({ spec }: Deployment): Problems {
  const { minReadySeconds = 0, progressDeadlineSeconds: deadline } = spec;
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* templateProblems(spec, "deployment", "invalid label selector");
  yield* restartPolicyProblems(spec, "ReplicaSet");
  yield* strategyProblems("spec.strategy", spec.strategy ?? {});
  yield* nonNegative("spec.minReadySeconds", minReadySeconds);
  yield* nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  yield* nonNegative("spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= minReadySeconds) {
    yield invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
  }
}

function* strategyProblems(field: string, strategy: Sent<apps.DeploymentStrategy>): Problems {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (!rollingUpdate) return;
    yield forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type !== "RollingUpdate") {
    yield unsupportedStrategy(field, strategy, knownValues("apps/v1.DeploymentStrategy.type"));
  } else if (rollingUpdate) yield* rollingUpdateProblems(`${field}.rollingUpdate`, rollingUpdate);
  else yield required(`${field}.rollingUpdate`, "this should be defaulted and never be nil");
}

function* rollingUpdateProblems(
  field: string,
  { maxUnavailable = 0, maxSurge = 0 }: Sent<apps.RollingUpdateDeployment>,
): Problems {
  yield* intOrPercentProblems(`${field}.maxUnavailable`, maxUnavailable);
  yield* intOrPercentProblems(`${field}.maxSurge`, maxSurge);
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) {
    yield invalid(`${field}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  }
  yield* percentProblems(`${field}.maxUnavailable`, maxUnavailable);
}
