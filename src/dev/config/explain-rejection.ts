import type { ApiError } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ManifestObject } from "../../ship/manifest.ts";

/** Explains the rejection of an object of the project, with its file if that is known; returns other errors unchanged. */
export function explainRejection(
  error: unknown,
  { kind, metadata }: ManifestObject,
  file = "the project's config/, or in the source that it is generated from",
): unknown {
  if (!isApiError(error)) return error;
  if (error.status === 0)
    return new TsbuilderError(`the cluster is unavailable: ${error.message}`, {
      code: "CLUSTER_UNREACHABLE",
      hint: "check that it is running; then save again, or restart dev",
      cause: error,
    });
  return new TsbuilderError(`the cluster rejected ${kind} "${metadata.name}": ${error.body.message}`, {
    code: "REFUSED",
    hint: error.isForbidden
      ? "ask the cluster's administrator for that permission, or omit --context to use the embedded cluster"
      : isScopeOrKindChange(error)
        ? `delete the CRD there, with all its objects: kubectl delete crd ${metadata.name}; then save again`
        : `fix it in ${file}`,
    cause: error,
  });
}

/** Names the objects left in a cluster that was unavailable when dev wanted to delete them. */
export function explainLeftover(error: unknown, left: readonly ManifestObject[]): unknown {
  if (!isApiError(error)) return error;
  const names = left.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return new TsbuilderError(
    `could not delete what dev applied: ${error.message}\nleft in the cluster: ${names.join(", ")}`,
    {
      code: error.status === 0 ? "CLUSTER_UNREACHABLE" : "REFUSED",
      hint: "once the cluster is available, start and stop dev there to delete them",
      cause: error,
    },
  );
}

/** Returns true if the cluster did not answer at all, as opposed to rejecting the request. */
export function isUnanswered(error: unknown): boolean {
  return isApiError(error) && error.status === 0;
}

/** Returns true if the cluster rejected a CRD only because its scope or kind changed, which are immutable. */
export function isScopeOrKindChange(error: unknown): boolean {
  if (!isApiError(error)) return false;
  const { causes = [] } = error.body.details ?? {};
  const fields = ["spec.scope", "spec.names.kind"];
  const isImmutable = ({ field = "", message = "" }): boolean =>
    fields.includes(field) && message.endsWith("field is immutable");
  return causes.length > 0 && causes.every(isImmutable);
}

/** Checks the name: importing the class would load the whole client. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}
