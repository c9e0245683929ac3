// The vocabulary of all code that handles requests: a received request, its parsed path, handlers, filters and responses.
// Beside this file, `time-slices.ts` divides long computations, and `watch-turn.ts` collects lines of watches.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import type { User } from "../contract/user.ts";
import { type Attributes, pathAttributes, resourceAttributes } from "../contract/authorizer.ts";

/** A request as it was received from a socket or a call. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternate, as Node has them; a repeated header has an entry for each value. */
  readonly rawHeaders: readonly string[];
  /** The connection: the same object for all its requests. */
  readonly socket: object;
  /** The error that ended the request early. */
  readonly errored: Error | null;
  readBody(): Promise<Buffer>;
  /** The request itself, if it came from a socket: its body has not been read. */
  readonly incoming?: IncomingMessage;
}

/** The largest request body that the API server accepts; etcd's limit is lower. */
export const bodyLimit = 3 * 1024 * 1024;

/** A request on its way through the filters. */
export interface RequestContext {
  readonly request: ReceivedRequest;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly info: RequestInfo;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Sent as `Warning` headers, without repetitions. */
  readonly warnings: Set<string>;
  /** Set by authentication, and replaced by impersonation. */
  user: User;
}

/** A response. A `stream` writes its body itself, and rejects if that fails. */
export interface Reply {
  readonly code: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Parts are sent one after the other, so that the bytes of objects are not copied. */
  readonly body?: Buffer | string | readonly Buffer[];
  readonly stream?: (response: ServerResponse) => Promise<void>;
  /** Takes the connection of a request that asked for another protocol, with what came after its headers. */
  readonly takeOver?: (socket: Duplex, head: Buffer) => void;
}

export type Handler = (context: RequestContext) => Reply | Promise<Reply>;

/** A step around the rest of the chain; `next` continues. */
export type Filter = (context: RequestContext, next: () => Reply | Promise<Reply>) => Reply | Promise<Reply>;

/** Wraps a handler in filters; the first is the outermost. */
export function compose(filters: readonly Filter[], handler: Handler): Handler {
  return filters.reduceRight<Handler>(
    (inner, filter) => (context) => filter(context, () => inner(context)),
    handler,
  );
}

/** A parsed request path: the attributes to authorize, even of a resource that is not served. */
export interface RequestInfo extends Attributes {
  /** The path below the subresource, as in `/proxy/some/path`. */
  readonly rest: string;
}

const verbsByMethod: Readonly<Record<string, string>> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** Below a namespace these are subresources of the Namespace itself; everything else is a resource in it. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Parses paths such as `/api/v1/namespaces/ns/pods/name/status`. Throws URIError for malformed escapes. */
export function parseRequest(method: string, path: string, query: URLSearchParams): RequestInfo {
  const encoded = path.split("/").filter((part) => part !== "");
  const parts = path.includes("%") ? encoded.map(decodeURIComponent) : encoded;
  const verb = verbsByMethod[method] ?? method.toLowerCase();
  const isCore = parts[0] === "api";
  if ((!isCore && parts[0] !== "apis") || parts.length < (isCore ? 3 : 4)) {
    return { rest: "", ...pathAttributes(method.toLowerCase(), path) };
  }

  const [group, version] = isCore ? ["", parts[1]!] : [parts[1]!, parts[2]!];
  const resourcePath = parts.slice(isCore ? 2 : 3);
  // A legacy watch has `watch` before the path of its list or object.
  const hasWatchPrefix = resourcePath[0] === "watch" && resourcePath.length > 1;
  if (hasWatchPrefix) resourcePath.shift();
  let namespace = "";
  if (resourcePath[0] === "namespaces" && resourcePath.length > 1) {
    namespace = resourcePath[1]!;
    if (resourcePath.length > 2 && !namespaceSubresources.has(resourcePath[2]!)) resourcePath.splice(0, 2);
  }
  const [resource = "", name = "", subresource = "", ...rest] = resourcePath;
  const attributes = resourceAttributes({
    verb: refineVerb(verb, name, query, hasWatchPrefix),
    path,
    group,
    version,
    namespace: resource === "namespaces" ? name : namespace,
    resource,
    name,
    subresource,
    fieldSelector: name === "" ? (query.get("fieldSelector") ?? "") : "",
  });
  return { rest: rest.join("/"), ...attributes };
}

/** A GET without a name is a list, or a watch with `watch=true`; a DELETE without a name deletes the collection. */
function refineVerb(verb: string, name: string, query: URLSearchParams, hasWatchPrefix: boolean): string {
  if (verb === "delete" && name === "") return "deletecollection";
  if (verb !== "get") return verb;
  if (hasWatchPrefix || isTrue(query.get("watch"))) return name === "" || hasWatchPrefix ? "watch" : "get";
  return name === "" ? "list" : "get";
}

/** A query flag is true if present with any value but `0` and `false`: `?watch`, `watch=1`, `watch=true`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== "0" && value !== "false";
}

export const jsonType = "application/json";

export function jsonReply(value: unknown, code = 200): Reply {
  return valueReply(value, false, code);
}

/** A response with a JSON body, or a YAML one as Go prints it. */
export function valueReply(value: unknown, yaml: boolean, code = 200, headers?: Reply["headers"]): Reply {
  const contentType = yaml ? "application/yaml" : jsonType;
  const body = Buffer.from(yaml ? emitYaml(value as YamlValue) : JSON.stringify(value));
  return { code, contentType, body, ...(headers && { headers }) };
}

export function textReply(body: string, code = 200): Reply {
  return { code, contentType: "text/plain; charset=utf-8", body };
}

/** A response in the media type that the client prefers of JSON and YAML. */
export function preferredReply(
  context: RequestContext,
  value: unknown,
  code = 200,
  headers?: Reply["headers"],
): Reply {
  return valueReply(value, prefersYAML(context.request.headers.accept), code, headers);
}

/** Returns true if a client prefers YAML to JSON for objects that have one form only, such as errors. */
export function prefersYAML(accept: string | undefined): boolean {
  return readAccept(accept ?? "").find(({ options }) => !options.has("as"))?.yaml ?? false;
}

/** A clause of an Accept header that asks for JSON or YAML. */
interface AcceptClause {
  readonly yaml: boolean;
  readonly options: ReadonlyMap<string, string>;
}

/** Caches parsed headers, since all requests of a client have the same one. */
const cachedClauses = new Map<string, readonly AcceptClause[]>();
const cacheLimit = 100;

/** Returns the clauses of an Accept header that the server can write, in the client's order of preference. */
export function readAccept(accept: string): readonly AcceptClause[] {
  const clauses = cachedClauses.get(accept) ?? parseAccept(accept);
  if (cachedClauses.size < cacheLimit) cachedClauses.set(accept, clauses);
  return clauses;
}

const jsonTypes: readonly string[] = ["application/json", "application/*", "*/*"];

function parseAccept(accept: string): readonly AcceptClause[] {
  const clauses = accept.split(",").flatMap((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = type.toLowerCase();
    const yaml = mediaType === "application/yaml";
    if (!yaml && !jsonTypes.includes(mediaType)) return [];
    return [
      { yaml, options: new Map(parameters.map((parameter) => parameter.split("=") as [string, string])) },
    ];
  });
  return clauses.toSorted((a, b) => qualityOf(b) - qualityOf(a));
}

function qualityOf({ options }: AcceptClause): number {
  const quality = Number(options.get("q") ?? 1);
  return Number.isNaN(quality) ? 1 : quality;
}
