import type { ApiError } from "@tsbuilder/runtime";
import { TsbuilderError } from "../shared/errors.ts";
import type { ManifestObject } from "../ship/manifest.ts";

/** Says what is left in a cluster that was gone when dev wanted to take its own things back. */
export function explainLeftover(error: unknown, left: readonly ManifestObject[]): unknown {
  if (!isApiError(error)) return error;
  const names = left.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return new TsbuilderError(
    `the cluster did not let dev take back what it brought: ${error.message}\nleft there: ${names.join(", ")}`,
    {
      code: error.status === 0 ? "CLUSTER_UNREACHABLE" : "REFUSED",
      hint: "once it answers, start dev there and end it: that takes them back",
      cause: error,
    },
  );
}

/** Tells whether nobody answered, as opposed to somebody who refused. */
export function isUnanswered(error: unknown): boolean {
  return isApiError(error) && error.status === 0;
}

/** Says which of the project's objects a cluster did not take, and what to do; other errors stay what they are. */
export function explainRejection(error: unknown, { kind, metadata }: ManifestObject): unknown {
  if (!isApiError(error)) return error;
  if (error.status === 0)
    return new TsbuilderError(`the cluster does not answer: ${error.message}`, {
      code: "CLUSTER_UNREACHABLE",
      hint: "see that it runs; then save once more, or start dev again",
      cause: error,
    });
  return new TsbuilderError(`the cluster refused ${kind} "${metadata.name}": ${error.body.message}`, {
    code: "REFUSED",
    hint: error.isForbidden
      ? "ask whoever keeps the cluster for that permission, or work on the embedded one: leave --context away"
      : "mend it in the project's config/, or what makes it there",
    cause: error,
  });
}

/** By its name: the class itself would load the whole client. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}
