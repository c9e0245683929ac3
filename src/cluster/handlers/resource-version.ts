import { StatusError, badRequest, expired } from "../contract/status-error.ts";
import type { ListOptions } from "./list-options.ts";

/** The requested revision of a get, list or watch. Throws if it is in the future. */
export function requestedRevision(
  { resourceVersion }: Pick<ListOptions, "resourceVersion">,
  current: number,
): number {
  if (resourceVersion === "") return current;
  if (!/^\d+$/.test(resourceVersion)) {
    throw malformedListRevision(resourceVersion);
  }
  const revision = Number(resourceVersion);
  if (revision > current) throw tooNew(revision, current);
  return revision;
}

/** The error for a malformed revision of a get or watch; lists have another one. */
export function malformedRevision(text: string): StatusError {
  return new StatusError(500, undefined, explainRevision(text));
}

/** The error for a malformed revision of a list, and of a GET of an Event. */
export function malformedListRevision(text: string): StatusError {
  return badRequest(`invalid resource version: ${explainRevision(text)}`);
}

function explainRevision(text: string): string {
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`;
}

/** The requested revision is in the future, perhaps from another cluster: the client should wait and try again. */
function tooNew(revision: number, current: number): StatusError {
  const message = "Too large resource version";
  return new StatusError(504, "Timeout", `Timeout: ${message}: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message }],
    retryAfterSeconds: 1,
  });
}

/** The revision of a watch is no longer in the history: the client must list again. */
export function tooOld(revision: number, oldest: number): StatusError {
  return expired(`too old resource version: ${revision} (${oldest})`);
}
