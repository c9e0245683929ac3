import { duplicate, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import { type Problems } from "../checks/problems.ts";
import { mandatory } from "./configurations.ts";
import { resetStatus } from "../../registry/default-strategy.ts";
import type { Strategy } from "../../registry/resource.ts";
import { eachOf } from "../fill-in.ts";
import { toGoStruct } from "../checks/go-struct.ts";

/** Resets the fields of a write. One to the status ignores the metadata, so that not even the uid is compared. */
export const resetFlowControlFields: Strategy["resetFields"] = (object, old, subresource) => {
  resetStatus(object, old, subresource);
  if (subresource === "status") object.metadata.uid = old!.metadata.uid!;
};

/** The mandatory FlowSchemas can't be changed. */
export function* fixedSchemaProblems({ metadata: { name = "" }, spec }: ApiObject): Problems {
  const fixed = mandatory.schemas[name];
  if (!fixed || isEqual(spec, fixed)) return;
  yield* fixedValueProblems(name, toGoStruct(spec, "flowcontrol/v1.FlowSchemaSpec"), "");
}

/** The mandatory PriorityLevelConfigurations can't be changed, except the field `exempt` of the level `exempt`. */
export function* fixedLevelProblems({ metadata: { name = "" }, spec }: ApiObject): Problems {
  const fixed = mandatory.levels[name];
  if (!fixed) return;
  const isExempt = name === "exempt";
  const compared = isExempt ? { ...(spec as object), exempt: fixed.exempt } : spec;
  if (isEqual(compared, fixed)) return;
  const except = isExempt ? " except the 'spec.exempt' field" : "";
  yield* fixedValueProblems(name, toGoStruct(spec, "flowcontrol/v1.PriorityLevelConfigurationSpec"), except);
}

function* fixedValueProblems(name: string, spec: object, except: string): Problems {
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
