import type { JSONObject } from "@tsbuilder/apimachinery/json";
import {
  type CelList,
  EvalError,
  OutOfBudgetError,
  runtimeBudget,
  toJSON,
  type Value,
  WrittenObject,
} from "@tsbuilder/apimachinery/cel";
import { applyJSONPatch, FailedTestError, PatchError, type SchemaNode } from "@tsbuilder/apimachinery/patch";
import { mergeApplyConfiguration, SchemaMismatchError } from "@tsbuilder/apimachinery/patch/apply";
import type { ApiObject } from "../../contract/api-object.ts";
import { Budget, runExpression } from "../../expressions/run-expression.ts";
import { wrongTypeNames } from "./check-written-types.ts";
import type { CompiledMutation } from "./compile-policy.ts";
import type { PolicyNames } from "./evaluation.ts";

/** A mutation that can't be applied; the failure policy decides whether the request is denied. */
export class MutationFailedError extends Error {}

/** Applies one mutation of a policy to an object and returns the result; the object itself is not changed. */
export function mutateObject(
  { mutation, patch }: CompiledMutation,
  object: ApiObject,
  names: PolicyNames,
  schema: SchemaNode | undefined,
): ApiObject {
  const budget = new Budget(runtimeBudget);
  try {
    const outcome = runExpression(patch, names(budget), budget);
    if ("error" in outcome) throw new MutationFailedError(outcome.error);
    return mutation.patchType === "JSONPatch"
      ? applyOperations(outcome.value, object)
      : applyConfiguration(outcome.value, object, schema);
  } catch (error) {
    if (error instanceof OutOfBudgetError || error instanceof EvalError)
      throw new MutationFailedError(error.message);
    throw error;
  }
}

function applyConfiguration(value: Value, object: ApiObject, schema: SchemaNode | undefined): ApiObject {
  if (!(value instanceof WrittenObject)) throw new MutationFailedError("unsupported return type");
  checkTypes(value);
  const applied = toJSON(value) as JSONObject;
  const { apiVersion, kind } = object;
  try {
    return mergeApplyConfiguration(
      object as unknown as JSONObject,
      { ...applied, apiVersion, kind },
      schema,
    ) as never;
  } catch (error) {
    if (error instanceof SchemaMismatchError)
      throw new MutationFailedError(`error applying patch: ${error.message}`);
    throw error;
  }
}

/** If a `test` operation fails, the object stays as it is. */
function applyOperations(value: Value, object: ApiObject): ApiObject {
  const operations = [...(value as CelList)].map((operation) => operationOf(operation as WrittenObject));
  try {
    return applyJSONPatch(object as unknown as JSONObject, operations as never) as never;
  } catch (error) {
    if (error instanceof FailedTestError) return object;
    if (error instanceof PatchError) throw new MutationFailedError(`JSON Patch: ${error.message}`);
    throw error;
  }
}

function operationOf(operation: WrittenObject): Record<string, unknown> {
  const { op = "", path = "", from, ...rest } = Object.fromEntries(operation.values);
  const value = rest["value"];
  if (value instanceof WrittenObject) checkTypes(value);
  return {
    op,
    path,
    ...(from !== undefined && from !== "" && { from }),
    ...(value !== undefined && { value: toJSON(value) }),
  };
}

function checkTypes(value: WrittenObject): void {
  const wrong = [...wrongTypeNames(value, value.celType.name)];
  if (wrong.length > 0) throw new MutationFailedError(`type mismatch: ${wrong.join("\n")}`);
}
