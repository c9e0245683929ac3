import { ApiError } from "../errors/api-error.ts";
import type { Informer } from "./informer.ts";

/** Says which kind could not be synced and why: usually its CRD or an RBAC permission is missing. */
export function syncFailure({ kind, stats, hasSynced }: Informer, cause: unknown): Error {
  const { lastError } = stats;
  if (hasSynced)
    return new Error(`a map function or handler of ${kind.kind} objects has not ended in time`, { cause });
  const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  let hint = lastError === undefined ? "" : `: ${lastError.message}`;
  if (lastError instanceof ApiError && lastError.isForbidden)
    hint += `. The operator needs the verbs get, list and watch on ${resource}`;
  if (lastError instanceof ApiError && lastError.isNotFound)
    hint += `. Is the CustomResourceDefinition of ${resource} installed?`;
  return new Error(`the ${kind.kind} objects (${kind.apiVersion}) could not be listed in time${hint}`, {
    cause: lastError ?? cause,
  });
}
