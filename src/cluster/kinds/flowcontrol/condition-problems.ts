import { duplicate, required } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Problems } from "../checks/problems.ts";
import { eachOf } from "../fill-in.ts";

/** Validates the conditions in the status of a FlowSchema or a PriorityLevelConfiguration. */
export function* conditionProblems(object: ApiObject): Problems {
  const types = eachOf(object["status"], "conditions").map(({ type = "" }) => type);
  for (const [index, type] of types.entries()) {
    const field = `status.conditions[${index}].type`;
    if (types.indexOf(type) < index) yield duplicate(field, type);
    if (type === "") yield required(field);
  }
}
