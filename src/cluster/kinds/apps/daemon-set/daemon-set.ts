import type * as apps from "@tsbuilder/apimachinery/k8s/apps/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, formatSelector, readField } from "../../cells.ts";
import {
  amountOf,
  defaultRollingUpdate,
  defaultSpec,
  restartPolicyProblems,
  intOrPercentProblems,
  templateLabelProblems,
  percentProblems,
  selectorCell,
  selectorChanges,
  templateCells,
  templateWarnings,
  unsupportedStrategy,
} from "../workload.ts";
import { emptyTemplate } from "../../core/pod-spec/types.ts";
import { daemonSetController } from "./daemon-set-controller.ts";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent, SentObject } from "../../../contract/sent.ts";
import { isEmptySelector, isValidSelector, selectorProblems } from "../../checks/meta-types.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { podTemplateProblems } from "../../core/pod-spec/validate.ts";

/** The counts that the status of a DaemonSet always has. */
const noCounts = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};

/** Counts the changes of a DaemonSet's template; once a field of its spec. */
const templateGeneration = "deprecated.daemonset.template.generation";

type DaemonSetSpec = Sent<apps.DaemonSetSpec>;
type DaemonSet = SentObject<DaemonSetSpec>;

export const daemonSet: BuiltInKind<"daemonset"> = {
  resource: "daemonsets.apps",
  strategy: {
    statusWritesMetadata: true,
    partialMetadata({ annotations: { [templateGeneration]: _count, ...annotations } = {}, ...metadata }) {
      return { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
    },
    default(object) {
      defaultSpec(object);
      const { spec } = object as DaemonSet;
      spec.updateStrategy ??= {};
      defaultRollingUpdate(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 });
      spec.revisionHistoryLimit ??= 10;
      object.metadata.annotations = { [templateGeneration]: "0", ...object.metadata.annotations };
      object["status"] = { ...noCounts, ...(object["status"] as object) };
    },
    prepareForCreate({ metadata: { annotations } }) {
      if (Number(annotations![templateGeneration]) < 1) annotations![templateGeneration] = "1";
    },
    prepareForUpdate(object, old) {
      const changed = !isEqual((object as DaemonSet).spec.template, (old as DaemonSet).spec.template);
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
      object.metadata.annotations![templateGeneration] = String(changed ? before + 1 : before);
    },
    validate: (object) => [...daemonSetProblems(object as DaemonSet)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(object)]
        : [...selectorChanges(object, old), ...daemonSetProblems(object as DaemonSet)],
    warnings: (object, old) => templateWarnings(object, old),
  },
  cells: {
    Desired: count("status.desiredNumberScheduled"),
    Current: count("status.currentNumberScheduled"),
    Ready: count("status.numberReady"),
    "Up-to-date": count("status.updatedNumberScheduled"),
    Available: count("status.numberAvailable"),
    "Node Selector": (object) =>
      formatSelector({ matchLabels: readField(object, "spec.template.spec.nodeSelector") ?? {} }),
    ...templateCells,
    Selector: selectorCell,
  },
  podTemplate: "spec.template",
  emptyObject: { spec: { emptyTemplate, updateStrategy: {} }, status: {} },
  controllers: { daemonset: daemonSetController },
  zeroValues: {
    spec: { selector: null },
    status: noCounts,
    metadata: { annotations: { [templateGeneration]: "0" } },
  },
};

function* statusProblems(object: ApiObject): Problems {
  const status = object["status"] as Record<string, number | undefined>;
  const more = ["updatedNumberScheduled", "numberAvailable", "numberUnavailable"];
  for (const name of [...Object.keys(noCounts), ...more]) yield* nonNegative(`status.${name}`, status[name]);
}

function* daemonSetProblems({ spec }: DaemonSet): Problems {
  const { selector } = spec;
  yield* selectorProblems("spec.selector", selector);
  if (isValidSelector(selector)) yield* templateLabelProblems(spec);
  if (selector && isEmptySelector(selector)) {
    yield invalid("spec.selector", selector, "empty selector is invalid for daemonset");
  }
  yield* podTemplateProblems(spec.template, "spec.template");
  yield* restartPolicyProblems(spec, "DaemonSet");
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* updateStrategyProblems("spec.updateStrategy", spec.updateStrategy ?? {});
  yield* nonNegative("spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

function* updateStrategyProblems(field: string, update: Sent<apps.DaemonSetUpdateStrategy>): Problems {
  const { type, rollingUpdate } = update;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    return yield unsupportedStrategy(field, update, ["RollingUpdate", "OnDelete"]);
  }
  if (!rollingUpdate) return yield required(`${field}.rollingUpdate`);
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const at = `${field}.rollingUpdate`;
  yield* intOrPercentProblems(`${at}.maxUnavailable`, maxUnavailable);
  yield* intOrPercentProblems(`${at}.maxSurge`, maxSurge);
  yield* percentProblems(`${at}.maxUnavailable`, maxUnavailable);
  yield* percentProblems(`${at}.maxSurge`, maxSurge);
  const [unavailable, surge] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  if (unavailable && surge) {
    yield invalid(`${at}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (!unavailable && !surge) {
    yield required(`${at}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
  }
}
