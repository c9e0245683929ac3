import { isObject } from "@tsbuilder/apimachinery/json";
import { type JSONPatchOperation, parsePointer } from "@tsbuilder/apimachinery/patch";
import { hiddenValue } from "../hide-secret.ts";
import type { RecordedAdmission } from "./recorded-call.ts";

type Answer = NonNullable<RecordedAdmission["answer"]>;

/**
 * A call about a Secret without what it holds: neither data nor annotations of the objects and of the patch, nor any text of
 * the webhook, which may quote them. The names of all fields stay, so that the patch still fits the object.
 */
export function hideCall(call: RecordedAdmission): RecordedAdmission {
  if (call.resource !== "secrets") return call;
  const { object, oldObject, answer, failure } = call;
  return {
    ...call,
    object: hide(object, []),
    oldObject: hide(oldObject, []),
    ...(answer && { answer: hideAnswer(answer) }),
    // Only this one quotes the webhook.
    ...(failure?.reason === "InvalidAnswer" && { failure: { ...failure, message: hiddenValue } }),
  };
}

function hideAnswer({ allowed, status, warnings, auditAnnotations, patch }: Answer): Answer {
  return {
    allowed,
    ...(status && {
      status: { ...hideAll(status), ...(status.code !== undefined && { code: status.code }) },
    }),
    ...(warnings && { warnings: warnings.map(() => hiddenValue) }),
    ...(auditAnnotations && { auditAnnotations: hideAll(auditAnnotations) }),
    ...(patch && { patch: patch.map(hideOperation) }),
  };
}

function hideOperation(operation: JSONPatchOperation): JSONPatchOperation {
  if (!("value" in operation)) return operation;
  const path: unknown = operation.path;
  const steps = typeof path === "string" ? parsePointer(path) : [];
  return { ...operation, value: hide(operation.value, steps) };
}

/** What stands at some steps of a Secret. */
function hide<Value>(value: Value, steps: readonly string[]): Value {
  return hideAt(value, steps) as Value;
}

function hideAt(value: unknown, steps: readonly string[]): unknown {
  if (value === undefined || value === null) return value;
  const holder = holders.find((each) => each.every((step, index) => step === steps[index]));
  if (isObject(value) && (!holder || steps.length === holder.length))
    return mapMembers(value, (member, name) => hideAt(member, [...steps, name]));
  return holder || steps.length === 0 ? hiddenValue : value;
}

/** The maps with values. `kubectl apply` writes all of them into an annotation, too. */
const holders: readonly (readonly string[])[] = [["data"], ["stringData"], ["metadata", "annotations"]];

function hideAll(texts: object): Record<string, string> {
  return mapMembers(texts, () => hiddenValue);
}

function mapMembers<To>(object: object, map: (member: unknown, name: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member, name)]));
}
