import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { Call, Code, type StableValues } from "./literal.ts";
import { ownedFields, withoutAddresses } from "./owned-fields.ts";
import type { Selection } from "./select-objects.ts";
import type { FinalObject, SessionWrites } from "./session-writes.ts";
import type { Notes } from "./steps.ts";

/** The expectation of a test for an object; without `body`, the object must not exist. */
export interface Expectation {
  readonly object: KubernetesObject;
  /** The argument of `toMatchObject`. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the expected states of the custom resources and of the operator's objects at the end. */
export function endState(session: SessionWrites, selection: Selection, notes: Notes): Expectation[] {
  const { values } = session;
  const expected = session.objects
    .filter(({ object }) => selection.has(object))
    .toSorted((a, b) => Number(selection.isOwn(b.object)) - Number(selection.isOwn(a.object)));
  return expected.flatMap((final): Expectation[] => {
    const { object, exists, isWrittenByOperator, creator } = final;
    const isOwn = selection.isOwn(object);
    if (!isOwn && !(isWrittenByOperator && (exists || creator === "operator"))) return [];
    const name = `${object.kind} ${final.key}`;
    if (values.isUnstable(object.metadata.name ?? "")) {
      notes.add(`${name} is left out: its name is generated`);
      return [];
    }
    if (!exists) return [{ object, body: undefined }];
    if (object.metadata.deletionTimestamp !== undefined) {
      notes.add(`${name} is left out: it was being deleted when the record ended`);
      return [];
    }
    return [{ object, body: expectedBody(final, session, isOwn) }];
  });
}

/** Returns the fields that the operator owns. Without managed fields: all, but the status only of custom resources. */
function expectedBody(
  { object }: FinalObject,
  { managers, values }: SessionWrites,
  isOwn: boolean,
): Readonly<Record<string, unknown>> {
  const { managedFields = [] } = object.metadata;
  const owners = managedFields.filter(({ manager = "" }) => managers.has(manager));
  const isManaged = managedFields.length > 0;
  const owned = isManaged
    ? ownedFields(object, owners, new Code("expect.anything()"))
    : withoutAddresses(object);
  const { apiVersion: _, kind: __, metadata, status, data, ...rest } = owned;
  return {
    metadata: nonEmpty(metadataOf(isObject(metadata) ? metadata : {}, values)),
    ...(values.stable(rest) as object),
    ...(data !== undefined && { data: values.stable(object.kind === "Secret" ? anyValues(data) : data) }),
    ...((isOwn || isManaged) && isObject(status) && { status: values.stable(statusOf(status, object)) }),
  };
}

function metadataOf(
  { labels, annotations, finalizers, ownerReferences }: Readonly<Record<string, unknown>>,
  values: StableValues,
): Record<string, unknown> {
  const owners = Array.isArray(ownerReferences) ? ownerReferences : [];
  return {
    labels: values.stable(labels),
    annotations: values.stable(annotations),
    finalizers,
    ownerReferences:
      owners.length === 0
        ? undefined
        : owners.map((owner) =>
            isObject(owner) ? { kind: owner["kind"], name: values.stable(owner["name"]) } : owner,
          ),
  };
}

/** Returns the conditions of a custom resource at a wait; undefined if it had none. */
export function restState(object: KubernetesObject): Expectation | undefined {
  const { status } = object as { readonly status?: unknown };
  if (!isObject(status) || !isConditions(status["conditions"])) return undefined;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { conditions, observedGeneration } = status;
  return { object, body: { status: statusOf({ conditions, observedGeneration }, object) } };
}

/** The expression for the generation of the object that is read. */
const generation = new Code("found.metadata.generation");

/** Reduces conditions to type, status and reason, in any order; keeps observedGeneration if it was the latest generation. */
function statusOf(
  status: Readonly<Record<string, unknown>>,
  object: KubernetesObject,
): Record<string, unknown> {
  const { observedGeneration, ...rest } = status;
  const isSeen = observedGeneration !== undefined && observedGeneration === object.metadata.generation;
  const members = Object.entries(rest).map(([key, value]): [string, unknown] =>
    isConditions(value) ? [key, matchConditions(value)] : [key, value],
  );
  return { ...(isSeen && { observedGeneration: generation }), ...Object.fromEntries(members) };
}

/** Returns true for a list of conditions. Conditions of other writers have been replaced by matchers. */
function isConditions(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  const items = value.filter((item) => !(item instanceof Code));
  return items.length > 0 && items.every(isCondition);
}

interface Condition {
  readonly type: unknown;
  readonly status: unknown;
  readonly reason?: unknown;
}

function isCondition(value: unknown): value is Condition {
  return isObject(value) && "type" in value && "status" in value;
}

function matchConditions(conditions: readonly unknown[]): Call {
  const matched = conditions
    .filter(isCondition)
    .map(({ type, status, reason }) => new Call("expect.objectContaining", { type, status, reason }));
  return new Call("expect.arrayContaining", matched);
}

function anyValues(data: unknown): unknown {
  return Object.fromEntries(Object.keys(data as object).map((key) => [key, new Code("expect.any(String)")]));
}

function nonEmpty(object: Record<string, unknown>): Record<string, unknown> | undefined {
  return Object.values(object).every((value) => value === undefined) ? undefined : object;
}
