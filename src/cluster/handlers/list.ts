import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import { explainJSON } from "../codec/go-json.ts";
import { type StatusError, badRequest, expired, notFound } from "../contract/status-error.ts";
import {
  includeObjectOf,
  partialOf,
  replyObject,
  representationOf,
  rowOf,
  tableOf,
} from "./representation.ts";
import { type Reply, type RequestContext, jsonType, valueReply } from "../http/request-context.ts";
import type { Entry } from "../storage/entry.ts";
import { type ListOptions, malformedRevision, readListOptions, requestedRevision } from "./list-options.ts";
import type { Target } from "./target.ts";
import type { Pause } from "../http/time-slices.ts";
import { keyOf } from "../registry/resource.ts";

/** Handles GET of an object. */
export async function handleGet(context: RequestContext, target: Target): Promise<Reply> {
  return replyObject(context, target, await readEntry(context, target));
}

/** Reads the object of a GET in the requested version. Throws if it is missing, or the requested revision is in the future. */
export async function readEntry(context: RequestContext, target: Target): Promise<Entry> {
  const { resource, version, namespace, name } = target;
  const resourceVersion = context.query.get("resourceVersion") ?? "";
  if (!/^\d*$/.test(resourceVersion)) {
    // The real server does not cache Events: its storage reports the revision as for a list.
    throw malformedRevision(resourceVersion, resource.plural === "events");
  }
  requestedRevision({ resourceVersion }, target.core.store.revision);
  const stored = resource.collection.get(keyOf(resource, namespace, name));
  if (!stored) throw notFound(resource, name);
  return resource.present(stored, version);
}

/** Handles GET of a collection. */
export async function handleList(context: RequestContext, target: Target): Promise<Reply> {
  const options = readListOptions(context.query, target);
  return listReply(context, target, await readList(target, options));
}

/** The entries of a list or page, and the metadata of the response. */
interface FoundList {
  readonly entries: readonly Entry[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  /** The selector of the shard that was requested. */
  readonly shard: string | undefined;
}

/** Reads a list at its revision: the current one, the requested one, or that of the first page. */
export async function readList(target: Target, options: ListOptions): Promise<FoundList> {
  const { resource, namespace, core } = target;
  const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
  const token = options.continue === "" ? undefined : readContinue(options.continue, prefix);
  if (token && !["", "0"].includes(options.resourceVersion))
    throw badRequest("specifying resource version is not allowed when using continue");
  const revision = token ? token.revision : requestedRevision(options, core.store.revision);
  const isExact = token ? token.revision > 0 : options.match === "Exact" || isExactByLimit(options);
  const stored = isExact ? resource.collection.listAt(revision, prefix) : resource.collection.list(prefix);
  if (!stored) {
    if (token) throw expiredContinue(token, prefix);
    throw expired("The resourceVersion for the provided list is too old.");
  }

  const rest = token ? stored.filter(({ key }) => key > token.after) : narrow(stored, target, options);
  const listRevision = isExact ? revision : core.store.revision;
  const limit = options.limit > 0 && !isServedFromCache(options) ? options.limit : Number.POSITIVE_INFINITY;
  const { entries, hasMore } = await selectPage(target, rest, limit, options.matches);
  const shard = options.shard?.text;
  const resourceVersion = String(listRevision);
  if (!hasMore) return { entries, shard, metadata: { resourceVersion } };
  // As on the real server, the count includes objects of other shards.
  const remaining = !options.labels && !options.fields && { remainingItemCount: rest.length - limit };
  const next = writeContinue(listRevision, entries.at(-1)!.key, prefix);
  return { entries, shard, metadata: { resourceVersion, continue: next, ...remaining } };
}

/** A decoded continue token. */
interface ContinueToken {
  /** The revision of the first page; -1 for a token that continues at the current revision. */
  readonly revision: number;
  /** The key after which the next page begins. */
  readonly after: string;
}

function readContinue(token: string, prefix: string): ContinueToken {
  const wrongByte = findWrongByte(token);
  if (wrongByte !== undefined) throw invalidToken(`illegal base64 data at input byte ${wrongByte}`);
  const bytes = Buffer.from(token, "base64url");
  let parsed: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    parsed = JSON.parse(bytes.toString("utf8")) as typeof parsed;
  } catch {
    throw invalidToken(explainJSON(bytes.toString("latin1")));
  }
  if (parsed?.v !== "meta.k8s.io/v1") throw invalidToken("server does not recognize this encoded version ");
  const { rv, start } = parsed;
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0)
    throw invalidToken("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "" || start.split("/").includes(".."))
    throw invalidToken("encoded start key empty (version meta.k8s.io/v1)");
  return { revision: rv, after: prefix + (start.endsWith("\u0000") ? start.slice(0, -1) : start) };
}

function invalidToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}

/** Returns the index where a text stops being base64 without padding; undefined if all of it is. */
function findWrongByte(token: string): number | undefined {
  const index = token.search(/[^\w-]/u);
  if (index !== -1) return index;
  return token.length % 4 === 1 ? token.length - 1 : undefined;
}

/** The pages' revision has left the history. The Status has a token that continues at the current revision. */
function expiredContinue(token: ContinueToken, prefix: string): StatusError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  error.status.metadata = { continue: writeContinue(-1, token.after, prefix) };
  return error;
}

/** Tokens hold the start relative to the list's prefix, so that a client can't use them for other namespaces. */
function writeContinue(revision: number, after: string, prefix: string): string {
  const start = `${after.slice(prefix.length)}\u0000`;
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** Narrows entries by a field selector of a name or namespace. As on the real server, the limit counts the remaining ones. */
function narrow(
  entries: readonly Entry[],
  { resource: { namespaced }, namespace }: Pick<Target, "resource" | "namespace">,
  { fields }: Pick<ListOptions, "fields">,
): readonly Entry[] {
  if (!fields) return entries;
  const onlyNamespace = namespaced ? namespace || (fields.only("metadata.namespace") ?? "") : "";
  const prefix = onlyNamespace === "" ? "" : `${onlyNamespace}/`;
  const name = fields.only("metadata.name");
  if (name === undefined || (namespaced && onlyNamespace === "")) {
    return entries.filter(({ key }) => key.startsWith(prefix));
  }
  return entries.filter(({ key }) => key === prefix + name);
}

/** Selects and converts a page of entries. `hasMore` is true if entries follow it, even if none of them matches. */
async function selectPage(
  target: Target,
  entries: readonly Entry[],
  limit: number,
  matches: ListOptions["matches"],
): Promise<{ entries: readonly Entry[]; hasMore: boolean }> {
  if (!matches) {
    const page = entries.length > limit ? entries.slice(0, limit) : entries;
    return { entries: await presentEntries(target, page), hasMore: page.length < entries.length };
  }
  const selected: Entry[] = [];
  const pause = target.core.slices.begin();
  const presented = await presentEntries(target, entries);
  for (const [index, entry] of presented.entries()) {
    if (matches(entry.object)) selected.push(entry);
    if (selected.length === limit) return { entries: selected, hasMore: index + 1 < entries.length };
    const paused = pause();
    if (paused) await paused;
  }
  return { entries: selected, hasMore: false };
}

/** Revision 0 means any revision, and the limit is ignored. */
function isServedFromCache({ resourceVersion, match }: ListOptions): boolean {
  return resourceVersion === "0" && match === "";
}

/** A legacy rule: with a limit and no `resourceVersionMatch`, the revision is exact. */
function isExactByLimit({ resourceVersion, match, limit }: ListOptions): boolean {
  return limit > 0 && match === "" && resourceVersion !== "" && resourceVersion !== "0";
}

const batchSize = 100;

/** Converts many entries to the requested version in slices of time, with at most two calls of a conversion webhook. */
export async function presentEntries(
  { core, resource, version }: Pick<Target, "core" | "resource" | "version">,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const pause = core.slices.begin();
  const presented: Entry[] = [];
  while (presented.length < entries.length) {
    const start = presented.length;
    const batch = resource.presentAll(entries.slice(start, start + batchSize), version);
    if (batch instanceof Promise) {
      const rest = [await batch, await resource.presentAll(entries.slice(start + batchSize), version)];
      return presented.concat(...rest);
    }
    presented.push(...batch);
    const paused = pause();
    if (paused) await paused;
  }
  return presented;
}

/** Makes the response with a list. JSON is made in slices of time, from the shared bytes of the objects. */
export async function listReply(context: RequestContext, target: Target, found: FoundList): Promise<Reply> {
  const { entries, metadata, shard } = found;
  const { form, metaVersion, yaml } = representationOf(context, target, true);
  const pause = target.core.slices.begin();
  if (form === "table") {
    const include = includeObjectOf(context.query);
    const now = target.core.clock.now();
    const options = { metaVersion, include, now, withDefinitions: true, metadata };
    const empty = tableOf([], target, options);
    const row = (entry: Entry): unknown => rowOf(entry, target, options);
    return yaml ? replyYAML(pause, empty, "rows", entries, row) : replyValues(pause, empty, entries, row);
  }
  if (form === "partial") {
    const list = { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${metaVersion}`, metadata };
    // Go encodes the nil slice of an empty list of metadata as null, unlike that of whole objects.
    if (entries.length === 0) return valueReply({ ...list, items: null }, yaml);
    const item = (entry: Entry): unknown => partialOf(entry, target, metaVersion);
    if (yaml) return replyYAML(pause, list, "items", entries, item);
    return replyValues(pause, { ...list, items: [] }, entries, item);
  }
  const { resource, version } = target;
  const apiVersion = apiVersionOf({ group: resource.group, version });
  // Lists of custom resources are Go's unstructured lists: they always have `continue`, and never shardInfo.
  const listMetadata = resource.custom
    ? { continue: "", ...metadata }
    : { ...metadata, ...(shard !== undefined && { shardInfo: { selector: shard } }) };
  const list = { kind: resource.listKind, apiVersion, metadata: listMetadata };
  if (yaml) {
    const item = ({ object: { kind, apiVersion: itemVersion, ...rest } }: Entry): unknown =>
      resource.custom ? { kind, apiVersion: itemVersion, ...rest } : rest;
    return replyYAML(pause, list, "items", entries, item);
  }
  const start = `{"kind":"${resource.kind}","apiVersion":"${apiVersion}",`;
  const omitted = Buffer.from(resource.custom ? "" : start);
  return replyBytes(pause, { ...list, items: [] }, entries, ({ bytes }) => withoutTypeMeta(bytes, omitted));
}

const openBrace = Buffer.from("{");

/** Lists of built-in kinds omit each item's kind and apiVersion. */
function withoutTypeMeta(bytes: Buffer, start: Buffer): readonly Buffer[] {
  if (start.length === 0 || !bytes.subarray(0, start.length).equals(start)) return [bytes];
  return [openBrace, bytes.subarray(start.length)];
}

const comma = Buffer.from(",");
const listEnd = Buffer.from("]}");

/** Makes a response of items' bytes in slices of time. `empty` is the list with an empty array as its last field. */
async function replyBytes(
  pause: Pause,
  empty: unknown,
  entries: readonly Entry[],
  encodeItem: (entry: Entry) => readonly Buffer[],
): Promise<Reply> {
  const parts: Buffer[] = [Buffer.from(JSON.stringify(empty).slice(0, -listEnd.length))];
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(...encodeItem(entry));
    const paused = pause();
    if (paused) await paused;
  }
  parts.push(listEnd);
  return { code: 200, contentType: jsonType, body: parts };
}

/** Makes a response of items without cached bytes: rows, or metadata. */
async function replyValues(
  pause: Pause,
  empty: unknown,
  entries: readonly Entry[],
  valueOf: (entry: Entry) => unknown,
): Promise<Reply> {
  const start = JSON.stringify(empty).slice(0, -listEnd.length);
  const itemOf = (entry: Entry, index: number) => `${index > 0 ? "," : ""}${JSON.stringify(valueOf(entry))}`;
  const body = [Buffer.from(start), ...(await encodedInSlices(pause, entries, itemOf)), listEnd];
  return { code: 200, contentType: jsonType, body };
}

/** Makes a response in YAML. `field` is the field of the items. */
async function replyYAML(
  pause: Pause,
  empty: Readonly<Record<string, unknown>>,
  field: string,
  entries: readonly Entry[],
  valueOf: (entry: Entry) => unknown,
): Promise<Reply> {
  const emptyText = emitYaml({ ...empty, [field]: [] } as YamlValue);
  const line = `${field}: []\n`;
  const start = emptyText.startsWith(line) ? 0 : emptyText.indexOf(`\n${line}`) + 1;
  const [before, after] = [emptyText.slice(0, start), emptyText.slice(start + line.length)];
  const itemsKey = entries.length === 0 ? line : `${field}:\n`;
  const items = await encodedInSlices(pause, entries, (entry) => emitYaml([valueOf(entry)] as YamlValue));
  return {
    code: 200,
    contentType: "application/yaml",
    body: [Buffer.from(before + itemsKey), ...items, Buffer.from(after)],
  };
}

/** Text is encoded in pieces of this length: many small buffers would keep the garbage collector busy. */
const pieceLength = 64 * 1024;

async function encodedInSlices(
  pause: Pause,
  entries: readonly Entry[],
  textOf: (entry: Entry, index: number) => string,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const [index, entry] of entries.entries()) {
    text += textOf(entry, index);
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = "";
    }
    const paused = pause();
    if (paused) await paused;
  }
  if (text !== "") pieces.push(Buffer.from(text));
  return pieces;
}
