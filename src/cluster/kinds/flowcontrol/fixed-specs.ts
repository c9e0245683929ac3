import { duplicate, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import { type Problems, type Shape, goStruct, number, pointer, pointerTo, text } from "../checks/problems.ts";
import { mandatory } from "./configurations.ts";
import { resetStatus } from "../../registry/default-strategy.ts";
import type { Strategy } from "../../registry/resource.ts";
import { eachOf } from "../fill-in.ts";

/** A write to the status of flow control ignores the metadata: not even the uid is compared. */
export const resetFlowControl: Strategy["resetFields"] = (object, old, subresource) => {
  resetStatus(object, old, subresource);
  if (subresource === "status") object.metadata.uid = old!.metadata.uid!;
};

const named = pointerTo({ name: text });

const schemaSpec: Shape = {
  priorityLevelConfiguration: { zero: {}, of: { name: text } },
  matchingPrecedence: number,
  distinguisherMethod: pointerTo({ type: text }),
  rules: pointerTo({
    subjects: pointerTo({
      kind: text,
      user: named,
      group: named,
      serviceAccount: pointerTo({ namespace: text, name: text }),
    }),
    resourceRules: pointerTo({
      verbs: pointer,
      apiGroups: pointer,
      resources: pointer,
      clusterScope: { zero: false },
      namespaces: pointer,
    }),
    nonResourceRules: pointerTo({ verbs: pointer, nonResourceURLs: pointer }),
  }),
};

/** The mandatory FlowSchemas can't be changed. */
export function* fixedSchema({ metadata: { name = "" }, spec }: ApiObject): Problems {
  const fixed = mandatory.schemas[name];
  if (fixed && !isEqual(spec, fixed)) yield* changed(name, goStruct(spec, schemaSpec), "");
}

const levelSpec: Shape = {
  type: text,
  limited: pointerTo({
    nominalConcurrencyShares: number,
    limitResponse: {
      zero: {},
      of: { type: text, queuing: pointerTo({ queues: number, handSize: number, queueLengthLimit: number }) },
    },
    lendablePercent: pointer,
    borrowingLimitPercent: pointer,
  }),
  exempt: pointerTo({ nominalConcurrencyShares: pointer, lendablePercent: pointer }),
};

/** The mandatory PriorityLevelConfigurations can't be changed, except the field `exempt` of the level `exempt`. */
export function* fixedLevel({ metadata: { name = "" }, spec }: ApiObject): Problems {
  const fixed = mandatory.levels[name];
  if (!fixed) return;
  const isExempt = name === "exempt";
  const compared = isExempt ? { ...(spec as object), exempt: fixed.exempt } : spec;
  if (isEqual(compared, fixed)) return;
  yield* changed(name, goStruct(spec, levelSpec), isExempt ? " except the 'spec.exempt' field" : "");
}

function* changed(name: string, spec: object, except: string): Problems {
  yield invalidStruct("spec", spec, `spec of '${name}'${except} must equal the fixed value`);
}

/** Validates the conditions in the status of a FlowSchema or a PriorityLevelConfiguration. */
export function* conditionProblems(object: ApiObject): Problems {
  const types = eachOf(object["status"], "conditions").map(({ type = "" }) => type);
  for (const [index, type] of types.entries()) {
    const field = `status.conditions[${index}].type`;
    if (types.indexOf(type) < index) yield duplicate(field, type);
    if (type === "") yield required(field);
  }
}
