import type { JSONObject } from "../../json/index.ts";
import { formatTime } from "../../time/index.ts";
import { capUpdaters } from "./cap-updaters.ts";
import { createdFields } from "./created-fields.ts";
import type { Endpoint } from "./endpoint.ts";
import { type FieldSet, isEmptySet, union } from "./field-set.ts";
import { type Managers, managerKey } from "./managers.ts";
import { fitManagers, settleOwnership, withoutServerFields } from "./ownership.ts";
import { managersForUpdate, withManagers } from "./stored-managers.ts";

/** A create, update or patch that is not an apply. */
export interface Update {
  /** The stored object in the endpoint's version; undefined for a create. */
  readonly live: JSONObject | undefined;
  /** The object to store, with the `managedFields` that the client sent. */
  readonly next: JSONObject;
  /** The `fieldManager` of the request, or the user agent up to its first slash. */
  readonly manager: string;
  readonly time: number;
}

/**
 * Returns the object to store with its `managedFields`: the manager of this write owns all new and changed fields,
 * other managers lose them. A stored object without managers (reset, or older than server-side apply) has none until
 * somebody applies it.
 */
export async function trackUpdate(endpoint: Endpoint, update: Update): Promise<JSONObject> {
  const managers = managersForUpdate(update.live, update.next, endpoint.subresource);
  if (managers.size === 0 && update.live) return withManagers(update.next, managers);
  return withManagers(update.next, await recordUpdate(endpoint, update, managers));
}

/** Records an update in the managers of an object. */
export async function recordUpdate(
  endpoint: Endpoint,
  { live, next, manager, time }: Update,
  managers: Managers,
): Promise<Managers> {
  if (!live && managers.size === 0) {
    const settle = async () => (await settleUpdate(endpoint, undefined, next, managers)).taken;
    const taken = await createdFields(endpoint, next, settle);
    return withUpdater(managers, endpoint, { taken, manager, time });
  }
  const { taken, left } = await settleUpdate(endpoint, live, next, managers);
  return withUpdater(left, endpoint, { taken, manager, time });
}

/** The fields that a write sets, and what it leaves to the managers. */
async function settleUpdate(
  endpoint: Endpoint,
  live: JSONObject | undefined,
  next: JSONObject,
  managers: Managers,
): Promise<{ readonly taken: FieldSet; readonly left: Managers }> {
  const before = withManagers(live ?? newObjectOf(endpoint), new Map());
  const after = withManagers(next, new Map());
  const fitted = await fitManagers(endpoint, before, managers);
  const settled = await settleOwnership(endpoint, before, after, fitted, "");
  const { added, modified } = settled.comparison;
  return { taken: withoutServerFields(union(added, modified)), left: settled.managers };
}

/** The fields that a manager took by a write. */
interface Taken extends Pick<Update, "manager" | "time"> {
  readonly taken: FieldSet;
}

function withUpdater(managers: Managers, endpoint: Endpoint, { taken, manager, time }: Taken): Managers {
  if (isEmptySet(taken)) return managers;
  const identity = {
    manager: manager || "unknown",
    operation: "Update",
    apiVersion: endpoint.apiVersion,
    subresource: endpoint.subresource,
  } as const;
  const key = managerKey(identity);
  const own = managers.get(key)?.fields;
  const fields = own ? union(own, taken) : taken;
  return capUpdaters(new Map(managers).set(key, { time: formatTime(time), fields, ...identity }));
}

/** Returns an empty object of the kind, with which a create is compared. */
export function newObjectOf({ apiVersion, kind, emptyObject }: Endpoint): JSONObject {
  return { ...emptyObject, apiVersion, kind };
}
