import { explainJSON } from "../codec/json-error.ts";
import { badRequest } from "../contract/status-error.ts";

/** A decoded continue token: where the next page begins. */
export interface Continue {
  /** The revision of the first page; -1 for a token that continues at the current revision. */
  readonly revision: number;
  readonly after: string;
}

/** Tokens hold the start relative to the list's prefix, so that a client can't use them for other namespaces. */
export function writeContinue(revision: number, after: string, prefix: string): string {
  const start = `${after.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** Where a text stops being base64 without padding; undefined if all of it is. */
function wrongByteOf(token: string): number | undefined {
  const at = token.search(/[^\w-]/u);
  if (at !== -1) return at;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
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
