export { mergeApplyConfiguration } from "./merge-apply-configuration.ts";
export { ApplyConflictError, type ConflictCause } from "./apply-conflict.ts";
export { gvkOf, isUntypable, mismatchOf, subjectOf } from "./check-applied.ts";
export { type Endpoint, SchemaMismatchError } from "./endpoint.ts";
export { type Apply, changedOnlyTimes, serverSideApply } from "./server-side-apply.ts";
export { managersForUpdate } from "./stored-managers.ts";
export { trackUpdate, type Update } from "./track-update.ts";
