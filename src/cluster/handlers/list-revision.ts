import { badRequest, expired, StatusError } from "../contract/status-error.ts";
import { type Continue, writeContinue } from "./continue-token.ts";
import type { ListOptions } from "./list-options.ts";

/** The requested revision of a get, list or watch. Throws if it is in the future. */
export function listRevision(
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

/** The error of gets and watches; lists have another one. */
export function malformedRevision(text: string): StatusError {
  return new StatusError(500, undefined, explainRevision(text));
}

export function malformedListRevision(text: string): StatusError {
  return badRequest(`invalid resource version: ${explainRevision(text)}`);
}

function explainRevision(text: string): string {
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`;
}

/** The requested revision is in the future, perhaps from another cluster: the client should wait and try again. */
export function tooNew(revision: number, current: number): StatusError {
  const message = "Too large resource version";
  return new StatusError(504, "Timeout", `Timeout: ${message}: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message }],
    retryAfterSeconds: 1,
  });
}

export function tooOld(revision: number, oldest: number): StatusError {
  return expired(`too old resource version: ${revision} (${oldest})`);
}

/** The requested revision of a list is no longer in the history; watches have another message. */
export function expiredList(): StatusError {
  return expired("The resourceVersion for the provided list is too old.");
}

/** The revision of the pages is no longer in the history. The Status carries a token that continues at the current revision. */
export function expiredContinue(token: Continue, prefix: string): StatusError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  error.status.metadata = { continue: writeContinue(-1, token.after, prefix) };
  return error;
}
