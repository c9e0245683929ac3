// The types that all floors of the cluster share: objects, users, permissions, errors, and the cluster's objects as
// controllers see them.

import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";

/** An object of any kind, as the server handles it. Stored objects are never changed in place. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Replaces all fields of an object with those of another, in place. */
export function replaceFields(object: ApiObject, next: ApiObject): void {
  if (next === object) return;
  for (const field of Object.keys(object)) if (!Object.hasOwn(next, field)) delete object[field];
  Object.assign(object, next);
}
