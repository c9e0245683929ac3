import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";

/** An object as the server works with it: JSON with a few names known. What is stored is never changed. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Makes an object hold what another one holds, in place. */
export function replaceFields(object: ApiObject, next: ApiObject): void {
  if (next === object) return;
  for (const field of Object.keys(object)) if (!(field in next)) delete object[field];
  Object.assign(object, next);
}
