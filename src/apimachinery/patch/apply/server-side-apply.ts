import { isEqual, isObject, type JSONObject } from "../../json/index.ts";
import { formatTime } from "../../time/index.ts";
import { PatchError } from "../patch-error.ts";
import { ApplyConflictError } from "./apply-conflict.ts";
import { checkApplied, checkLive } from "./check-applied.ts";
import { type Endpoint, withoutResetFields } from "./endpoint.ts";
import { isEqualSet } from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import { conflictsBeyondLastApplied, refreshLastApplied } from "./last-applied.ts";
import { type Managers, managerKey, withFields } from "./managers.ts";
import { mergeValues } from "./merge.ts";
import { fitManagers, settleOwnership, withoutServerFields } from "./ownership.ts";
import { pruneDropped } from "./prune.ts";
import { hasManagers, managersOf, withManagers } from "./stored-managers.ts";
import { newObjectOf, recordUpdate } from "./track-update.ts";

/** A server-side apply request. Each one has all fields that the manager wants to own. */
export interface Apply {
  /** The stored object in the endpoint's version; undefined for a create. */
  readonly live: JSONObject | undefined;
  /** The request's body. */
  readonly applied: JSONObject;
  /** The `fieldManager` of the request. */
  readonly manager: string;
  /** Take fields from other managers instead of failing with a conflict. */
  readonly force: boolean;
  readonly time: number;
}

/**
 * Returns the object to store, before defaulting, with its `managedFields`.
 * Applied fields are set, and owned by the manager (shared with others that applied the same value); fields that it
 * applied last time but not this time are removed unless somebody else owns them.
 *
 * @throws ApplyConflictError if a field of another manager would change, without force
 * @throws PatchError if the body is malformed
 * @throws SchemaMismatchError if the body doesn't match the schema of the kind
 */
export async function serverSideApply(endpoint: Endpoint, apply: Apply): Promise<JSONObject> {
  if (hasManagers(apply.applied)) throw new PatchError("malformed", "metadata.managedFields must be nil");
  checkApplied(endpoint, apply.applied);
  const live = withManagers(apply.live ?? newObjectOf(endpoint), new Map());
  const managers = await managersForApply(endpoint, apply, live);
  const result = await applyFields(endpoint, apply, live, managers);
  return apply.manager === "kubectl" ? refreshLastApplied(result, apply.applied) : result;
}

/**
 * Returns true if an apply or update changed nothing but the times of managers. Such a write must not be stored, or
 * applying the same object again would create a new revision each time.
 */
export function changedOnlyTimes(live: JSONObject, next: JSONObject): boolean {
  const noManagers: Managers = new Map();
  return (
    isEqualManagers(managersOf(live), managersOf(next)) &&
    isEqual(withManagers(live, noManagers), withManagers(next, noManagers))
  );
}

function isEqualManagers(a: Managers, b: Managers): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, { apiVersion, fields }]) => {
    const other = b.get(key);
    return other?.apiVersion === apiVersion && isEqualSet(other.fields, fields);
  });
}

/** The fields of an object without managers are assigned to `before-first-apply`. */
async function managersForApply(endpoint: Endpoint, apply: Apply, live: JSONObject): Promise<Managers> {
  const managers = managersOf(apply.live);
  if (!apply.live) return managers;
  checkLive(endpoint, live, managers.size > 0);
  if (managers.size > 0) return managers;
  const { time } = apply;
  const before = { live: undefined, next: live, manager: "before-first-apply", time };
  return recordUpdate(endpoint, before, managers);
}

async function applyFields(
  endpoint: Endpoint,
  { applied, manager, force, time }: Apply,
  live: JSONObject,
  managers: Managers,
): Promise<JSONObject> {
  const { apiVersion, subresource } = endpoint;
  const schema = endpoint.schemaOf(apiVersion);
  const fitted = await fitManagers(endpoint, live, managers);
  const identity = { manager, operation: "Apply", apiVersion, subresource } as const;
  const key = managerKey(identity);
  const fields = withoutResetFields(fieldsOf(applied, schema), endpoint);
  const last = fitted.get(key);
  const stated = { ...identity, fields, time: last?.time };
  const claimed = new Map(fitted).set(key, stated);

  const merged = mergeValues(live, applied, schema);
  const next = await pruneDropped(endpoint, isObject(merged) ? merged : {}, claimed, stated, last);
  const settled = await settleOwnership(endpoint, live, next, claimed, key);
  if (!force && settled.conflicts.size > 0) {
    const lastApplied = manager === "kubectl";
    const conflicts = lastApplied
      ? conflictsBeyondLastApplied(endpoint, live, settled.conflicts)
      : settled.conflicts;
    if (conflicts.size > 0) throw new ApplyConflictError(conflicts, fitted);
  }
  const owned = withFields(settled.managers, key, withoutServerFields(fields));
  return withManagers(next, isEqual(live, next) ? owned : stamped(owned, key, time));
}

/** An apply that changes only owners doesn't update their times; a new owner has no time. */
function stamped(managers: Managers, key: string, time: number): Managers {
  const manager = managers.get(key);
  return manager ? new Map(managers).set(key, { ...manager, time: formatTime(time) }) : managers;
}
