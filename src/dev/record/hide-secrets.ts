import type { KubernetesObject } from "@tsbuilder/runtime";
import { isObject } from "@tsbuilder/apimachinery/json";
import { type JSONPatchOperation, parsePointer } from "@tsbuilder/apimachinery/patch";
import type { RecordedAdmission } from "./recorded.ts";

/** The text that replaces the values of a Secret. */
export const hiddenValue = "(not shown)";

/** The annotation with the object that `kubectl apply` has sent. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

interface SecretData {
  readonly data?: object;
  readonly stringData?: object;
}

/** Returns an object; a Secret without its values. Its keys stay, as they help to find mistakes. */
export function hideSecret(object: KubernetesObject): KubernetesObject {
  if (object.kind !== "Secret") return object;
  const { data = {}, stringData: _, metadata, ...secret } = object as KubernetesObject & SecretData;
  // kubectl apply copies the data into this annotation.
  const { [lastApplied]: __, ...annotations } = metadata.annotations ?? {};
  const hidden = Object.fromEntries(Object.keys(data).map((key) => [key, hiddenValue]));
  return { ...secret, metadata: { ...metadata, annotations }, data: hidden } as KubernetesObject;
}

/**
 * Returns a call; a call for a Secret without the data and annotations in objects and patch, and without texts of the
 * webhook, which may quote them. The names of all fields stay, so that the patch still fits the object.
 */
export function hideCall(call: RecordedAdmission): RecordedAdmission {
  if (call.resource !== "secrets") return call;
  const { object, oldObject, answer, failure } = call;
  return {
    ...call,
    object: hide(object, []),
    oldObject: hide(oldObject, []),
    ...(answer && { answer: hideAnswer(answer) }),
    // Only the message of an invalid answer quotes the webhook.
    ...(failure?.reason === "InvalidAnswer" && { failure: { ...failure, message: hiddenValue } }),
  };
}

type Answer = NonNullable<RecordedAdmission["answer"]>;

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

/** The paths of the maps with secret values: `kubectl apply` copies the data into an annotation. */
const secretMaps: readonly (readonly string[])[] = [["data"], ["stringData"], ["metadata", "annotations"]];

/** Returns the value at a path of a Secret, without secrets. A map with secrets keeps its keys. */
function hide<Value>(value: Value, path: readonly string[]): Value {
  if (value === undefined || value === null) return value;
  const secretMap = secretMaps.find((map) => map.every((step, index) => step === path[index]));
  if (isObject(value) && (!secretMap || path.length === secretMap.length))
    return mapMembers(value, (member, name) => hide(member, [...path, name])) as Value;
  return secretMap || path.length === 0 ? (hiddenValue as Value) : value;
}

function hideAll(texts: object): Record<string, string> {
  return mapMembers(texts, () => hiddenValue);
}

function mapMembers<To>(object: object, map: (member: unknown, name: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member, name)]));
}
