import { compareText } from "../../text/index.ts";
import type { ManagedFieldsEntry, Time } from "../../meta/index.ts";
import { type FieldSet, isEmptySet } from "./field-set.ts";
import { decodeFieldsV1, encodeFieldsV1 } from "./fields-v1.ts";

/** The identity of a field manager. An applier is the same manager in all versions; an updater is one per version. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** A manager with the fields that it owns, named as in its `apiVersion`. */
export interface FieldManager extends ManagerIdentity {
  readonly fields: FieldSet;
  readonly time?: Time | undefined;
}

/** The managers of an object, by key. */
export type Managers = ReadonlyMap<string, FieldManager>;

/** Returns the key of a manager, which is equal for entries of the same manager. */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const version = operation === "Apply" ? "" : apiVersion;
  return JSON.stringify([manager, operation, version, subresource ?? ""]);
}

/** Decodes `metadata.managedFields`; returns `undefined` if an entry is invalid. */
export function decodeManagedFields(
  entries: readonly ManagedFieldsEntry[] | undefined,
): Managers | undefined {
  const managers = new Map<string, FieldManager>();
  for (const entry of entries ?? []) {
    const manager = decodeEntry(entry);
    if (!manager) return undefined;
    managers.set(managerKey(manager), manager);
  }
  return managers;
}

/** Encodes managers as `metadata.managedFields`: appliers first, then by time, name and version. */
export function encodeManagedFields(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()].sort(compareManagers).map((manager) => ({
    manager: manager.manager,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time === undefined ? {} : { time: manager.time }),
    fieldsType: "FieldsV1",
    fieldsV1: encodeFieldsV1(manager.fields),
    ...(manager.subresource ? { subresource: manager.subresource } : {}),
  }));
}

/** Sets the fields of a manager; removes a manager without fields. */
export function withFields(managers: Managers, key: string, fields: FieldSet): Managers {
  const next = new Map(managers);
  const manager = managers.get(key);
  if (isEmptySet(fields)) next.delete(key);
  else if (manager && manager.fields !== fields) next.set(key, { ...manager, fields });
  return next;
}

function decodeEntry(entry: ManagedFieldsEntry): FieldManager | undefined {
  const { operation, apiVersion, subresource, time } = entry;
  const fields = decodeFieldsV1(entry.fieldsV1);
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (!apiVersion || entry.fieldsType !== "FieldsV1" || !fields) return undefined;
  return { manager: entry.manager ?? "", operation, apiVersion, subresource, time, fields };
}

function compareManagers(a: FieldManager, b: FieldManager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  );
}
