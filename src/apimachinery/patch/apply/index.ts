/**
 * Server-side apply. Begin with `server-side-apply.ts`; `track-update.ts` assigns the fields of other writes, `field-set.ts`
 * holds sets of fields, `merge.ts` merges the applied object.
 */

export { mergeApplyConfiguration } from "./merge.ts";
export { ApplyConflictError, type ConflictCause } from "./apply-conflict.ts";
export { gvkOf, isUntypable, mismatchOf, subjectOf } from "./check-applied.ts";
export { type Endpoint, SchemaMismatchError } from "./endpoint.ts";
export { type Apply, changedOnlyTimes, serverSideApply } from "./server-side-apply.ts";
export { managersForUpdate } from "./managers.ts";
export { trackUpdate, type Update } from "./track-update.ts";
