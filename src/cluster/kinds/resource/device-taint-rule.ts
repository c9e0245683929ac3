import { tooMany } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import type { Condition } from "@tsbuilder/apimachinery/meta";
import type { DeviceTaint } from "@tsbuilder/apimachinery/k8s/resource/v1";
import { ageOf } from "@tsbuilder/apimachinery/text";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { conditionProblems } from "../checks/meta-types.ts";
import { driverNameProblems } from "../checks/names.ts";
import { type Problems, checked } from "../checks/problems.ts";
import type { Sent, SentObject } from "../../contract/api-object.ts";
import { poolNameProblems, taintProblems } from "./resource-slice.ts";

interface Spec {
  deviceSelector?: { driver?: string; pool?: string; device?: string };
  taint?: Sent<DeviceTaint>;
}

type DeviceTaintRule = SentObject<Spec, { conditions?: Sent<Condition>[] }>;

/** A taint of all devices that a selector finds. Since 1.37. */
export const deviceTaintRule: BuiltInKind = {
  resource: "devicetaintrules.resource.k8s.io",
  strategy: {
    default(object, { now }) {
      const { spec } = object as Partial<DeviceTaintRule>;
      if (spec?.taint) spec.taint.timeAdded ??= formatTime(now);
    },
    /** The time is that of the effect: it is set again when the effect changes and the time does not. */
    prepareForUpdate(object, old, { now }) {
      const [taint, before] = [object, old].map((each) => (each as DeviceTaintRule).spec.taint ?? {});
      if (taint!.effect !== before!.effect && taint!.timeAdded === before!.timeAdded)
        taint!.timeAdded = formatTime(now);
    },
    validate: (object) => [...ruleProblems(object as DeviceTaintRule)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(object as DeviceTaintRule)]
        : [...ruleProblems(object as DeviceTaintRule, old as DeviceTaintRule)],
  },
  cells: {
    Key: text("spec.taint.key"),
    Value: text("spec.taint.value"),
    Effect: text("spec.taint.effect"),
    TimeAdded: (object, now) => ageOf(readField(object, "spec.taint.timeAdded"), now),
  },
};

function* ruleProblems({ spec }: DeviceTaintRule, old?: DeviceTaintRule): Problems {
  const { driver, pool, device } = spec.deviceSelector ?? {};
  if (driver !== undefined) yield* driverNameProblems("spec.deviceSelector.driver", driver);
  if (pool !== undefined) yield* poolNameProblems("spec.deviceSelector.pool", pool);
  yield* checked("spec.deviceSelector.device", device, checkLabel);
  const keepsEffect = isEqual(spec.taint?.effect, old?.spec.taint?.effect);
  for (const error of taintProblems("spec.taint", spec.taint ?? {}))
    if (!old || !keepsEffect || error.field !== "spec.taint.effect") yield error;
}

const mostConditions = 8;

function* statusProblems({ status }: DeviceTaintRule): Problems {
  const { conditions = [] } = status ?? {};
  yield* conditionProblems("status.conditions", conditions);
  if (conditions.length > mostConditions)
    yield tooMany("status.conditions", conditions.length, mostConditions);
}
