import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { type FieldError, forbidden, invalid, invalidStruct, ruled } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../../built-in-kind.ts";
import * as workload from "../workload.ts";
import type { PodTemplateSpec } from "../../core/pod-spec/types.ts";
import { statefulSetController } from "./stateful-set-controller.ts";
import type { ApiObject, Sent, SentObject } from "../../../contract/api-object.ts";
import { isFeatureOn, servesSince } from "../../../contract/version.ts";
import { labelName } from "../../../registry/validate-metadata.ts";
import {
  type Problems,
  each,
  immutable,
  nonNegative,
  refused,
  optionalChoice,
} from "../../checks/problems.ts";
import { claimSpecProblems, defaultClaim } from "../../core/persistent-volume-claim.ts";

type StatefulSetSpec = Sent<apps.StatefulSetSpec>;
type StatefulSet = SentObject<StatefulSetSpec>;

export const statefulSet: BuiltInKind<"statefulset"> = {
  resource: "statefulsets.apps",
  strategy: {
    statusWritesMetadata: true,
    validateName: labelName,
    default(object) {
      workload.defaultScaledSpec(object);
      const { spec } = object as StatefulSet;
      spec.updateStrategy ??= {};
      // As in Kubernetes, an explicit RollingUpdate without parameters gets none.
      if (!spec.updateStrategy.type) spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.type ||= "RollingUpdate";
      const { type, rollingUpdate } = spec.updateStrategy;
      if (type === "RollingUpdate" && rollingUpdate) {
        rollingUpdate.partition ??= 0;
        if (isFeatureOn("MaxUnavailableStatefulSet")) rollingUpdate.maxUnavailable ??= 1;
      }
      spec.persistentVolumeClaimRetentionPolicy ??= { whenDeleted: "Retain", whenScaled: "Retain" };
      for (const claim of spec.volumeClaimTemplates ?? []) {
        claim.apiVersion ||= "v1";
        claim.kind ||= "PersistentVolumeClaim";
        defaultClaim(claim);
      }
      object["status"] = { replicas: 0, availableReplicas: 0, ...(object["status"] as object) };
    },
    validate: (object) => [...statefulSetProblems((object as StatefulSet).spec, true)],
    validateUpdate(object, old, { subresource }) {
      if (subresource === "status") {
        const counts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
        return [
          ...workload.replicaCountProblems(object, counts, "status.readyReplicas"),
          ...workload.collisionProblems(object, old),
        ];
      }
      const { spec } = object as StatefulSet;
      return [...statefulSetProblems(spec, false), ...fixedFieldChanges(object, old)];
    },
    *warnings(object, old) {
      yield* workload.templateWarnings(object, old);
      if (((object as StatefulSet).spec.revisionHistoryLimit ?? 0) < 0) {
        yield "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";
      }
    },
  },
  cells: { Ready: workload.readyCell, ...workload.templateCells },
  podTemplate: "spec.template",
  controllers: { statefulset: statefulSetController },
  zeroValues: { spec: { replicas: 0 } },
};

/** The mutable fields of a StatefulSet's spec. */
const mutableFields = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
] as const;

/** The fields that an update must not change, each of which has an error of its own since 1.37. */
const fixedFields = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"] as const;

function fixedFieldChanges(object: ApiObject, old: ApiObject): FieldError[] {
  const [now, before] = [{ ...(object as StatefulSet).spec }, { ...(old as StatefulSet).spec }];
  if (servesSince("1.37"))
    return fixedFields.flatMap((field) => [...immutable(`spec.${field}`, now[field], before[field])]);
  for (const field of mutableFields) {
    delete now[field];
    delete before[field];
  }
  if (isEqual(now, before)) return [];
  const names = mutableFields.map((field) => `'${field}'`);
  const detail = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are forbidden`;
  return [forbidden("spec", detail)];
}

/** Immutable fields are validated only on creation. */
function* statefulSetProblems(spec: StatefulSetSpec, isNew: boolean): Problems {
  const { podManagementPolicy = "", serviceName = "", volumeClaimTemplates: claims = [] } = spec;
  if (podManagementPolicy !== "OrderedReady" && podManagementPolicy !== "Parallel") {
    const detail = "must be 'OrderedReady' or 'Parallel'";
    yield invalid("spec.podManagementPolicy", podManagementPolicy, detail);
  }
  yield* updateStrategyProblems("spec.updateStrategy", spec.updateStrategy ?? {});
  yield* retentionProblems(spec);
  yield* each("spec.volumeClaimTemplates", isNew ? claims : [], (at, claim) =>
    claimSpecProblems(`${at}.spec`, claim.spec ?? {}),
  );
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* nonNegative("spec.ordinals.start", spec.ordinals?.start);
  if (isNew && serviceName !== "") yield* refused("spec.serviceName", serviceName, checkLabel(serviceName));
  // A template that was accepted once, with whatever is wrong in it, is not checked again.
  yield* ruled(
    "template",
    workload.templateProblems({ ...spec, template: templateOfPods(spec) }, "statefulset", ""),
  );
  yield* ruled("template", workload.restartPolicyProblems(spec, "StatefulSet"));
}

/** Returns the template as the pods will have it: without hostname and subdomain, and with volumes for the claims. */
function templateOfPods({
  template = {},
  volumeClaimTemplates: claims = [],
}: StatefulSetSpec): PodTemplateSpec {
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = template.spec ?? {};
  const names = new Set(claims.map(({ metadata }) => metadata?.name ?? ""));
  const mine = [...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = (spec.volumes ?? []).filter(({ name = "" }) => !names.has(name));
  return { ...template, spec: { ...spec, volumes: [...mine, ...others] } };
}

function* updateStrategyProblems(
  field: string,
  { type, rollingUpdate }: Sent<apps.StatefulSetUpdateStrategy>,
): Problems {
  const at = `${field}.rollingUpdate`;
  if (type === "OnDelete") {
    if (!rollingUpdate) return;
    const shown = {
      Partition: rollingUpdate.partition ?? 0,
      MaxUnavailable: rollingUpdate.maxUnavailable ?? null,
    };
    yield invalidStruct(at, shown, "only allowed for updateStrategy 'RollingUpdate'");
  } else if (type !== "RollingUpdate") {
    const shown = { Type: type ?? "", RollingUpdate: rollingUpdate ?? null };
    const problem = invalidStruct(field, shown, "must be 'RollingUpdate' or 'OnDelete'");
    // A StatefulSet that was stored while that feature was on keeps it.
    yield* type === "Recreate" ? ruled("Recreate", [problem]) : [problem];
  } else if (rollingUpdate) {
    const { partition, maxUnavailable } = rollingUpdate;
    yield* nonNegative(`${at}.partition`, partition);
    if (maxUnavailable === undefined) return;
    yield* workload.intOrPercentProblems(`${at}.maxUnavailable`, maxUnavailable);
    if (workload.amountOf(maxUnavailable) === 0)
      yield invalid(`${at}.maxUnavailable`, maxUnavailable, "cannot be 0");
    yield* workload.percentProblems(`${at}.maxUnavailable`, maxUnavailable);
  }
}

const policies = ["Retain", "Delete"];

function* retentionProblems({
  persistentVolumeClaimRetentionPolicy: policy = {},
}: StatefulSetSpec): Problems {
  for (const name of ["whenDeleted", "whenScaled"] as const) {
    yield* optionalChoice(`spec.persistentVolumeClaimRetentionPolicy.${name}`, policy[name], policies);
  }
}
