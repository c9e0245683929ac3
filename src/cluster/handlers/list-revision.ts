import { StatusError, badRequest, expired } from "../contract/status-error.ts";
import type { ListOptions } from "./list-options.ts";
import { explainJSON } from "../codec/go-json.ts";

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

/** The error for a malformed revision of a get or watch; lists have another one. */
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
function tooNew(revision: number, current: number): StatusError {
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

/**
 * The revision of the pages is no longer in the history. The Status carries a token that continues at the current
 * revision.
 */
export function expiredContinue(token: Continue, prefix: string): StatusError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  error.status.metadata = { continue: writeContinue(-1, token.after, prefix) };
  return error;
}

/** A decoded continue token: where the next page begins. */
interface Continue {
  /** The revision of the first page; -1 for a token that continues at the current revision. */
  readonly revision: number;
  readonly after: string;
}

/** Tokens hold the start relative to the list's prefix, so that a client can't use them for other namespaces. */
export function writeContinue(revision: number, after: string, prefix: string): string {
  const start = `${after.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

export function readContinue(token: string, prefix: string): Continue {
  const wrong = wrongByteOf(token);
  if (wrong !== undefined) {
    throw badRequest(
      `invalid continue token: continue key is not valid: illegal base64 data at input byte ${wrong}`,
    );
  }
  const bytes = Buffer.from(token, "base64url");
  let parsed: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    parsed = JSON.parse(bytes.toString("utf8")) as typeof parsed;
  } catch {
    throw badRequest(
      `invalid continue token: continue key is not valid: ${explainJSON(bytes.toString("latin1"))}`,
    );
  }
  if (parsed?.v !== "meta.k8s.io/v1") {
    throw badRequest(
      "invalid continue token: continue key is not valid: server does not recognize this encoded version ",
    );
  }
  const { rv, start } = parsed;
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0) {
    throw badRequest(
      "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  }
  if (typeof start !== "string" || start === "" || start.split("/").includes("..")) {
    throw badRequest(
      "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    );
  }
  return { revision: rv, after: prefix + (start.endsWith("\u0000") ? start.slice(0, -1) : start) };
}

/** Where a text stops being base64 without padding; undefined if all of it is. */
function wrongByteOf(token: string): number | undefined {
  const at = token.search(/[^\w-]/u);
  if (at !== -1) return at;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}
