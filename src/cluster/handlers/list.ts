import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { encode, includeObjectOf } from "./reply-object.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import type { Entry } from "../storage/entry.ts";
import { readContinue, writeContinue } from "./continue-token.ts";
import { type ListOptions, readListOptions } from "./list-options.ts";
import { expiredContinue, listRevision, tooOld } from "./list-revision.ts";
import { negotiate, partialOf, tableOf } from "./representation.ts";
import type { Target } from "./target.ts";

/** Handles GET of a list, or of a page of it. */
export async function handleList(context: RequestContext, target: Target): Promise<Reply> {
  const options = readListOptions(context.query, target);
  return listReply(context, target, await readList(target, options));
}

/** The result of a list request. */
export interface FoundList {
  readonly entries: readonly Entry[];
  /** The selectors matched none of the existing objects: Go encodes such a list as null. */
  readonly nothingLeft?: boolean;
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** Reads a list at its revision: the current one, the requested one, or that of the first page. */
export async function readList(target: Target, options: ListOptions): Promise<FoundList> {
  const { resource, namespace, core } = target;
  const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
  const token = options.continue === "" ? undefined : readContinue(options.continue, prefix);
  const revision = token ? token.revision : listRevision(options, core.store.revision);
  const exact = token ? token.revision > 0 : options.match === "Exact" || exactByLimit(options);
  const all = exact ? resource.collection.listAt(revision, prefix) : resource.collection.list(prefix);
  if (!all)
    throw token ? expiredContinue(token, prefix) : tooOld(revision, resource.collection.compactedRevision);

  const start = token ? all.findIndex(({ key }) => key > token.after) : 0;
  const rest = start === -1 ? [] : start === 0 ? all : all.slice(start);
  const at = exact ? revision : core.store.revision;
  const limit = options.limit > 0 && !servedFromCache(options) ? options.limit : Number.POSITIVE_INFINITY;
  const { entries, left } = await select(target, rest, limit, options.matches);
  if (left === 0) {
    const nothingLeft = rest.length > 0 && entries.length === 0 && !resource.custom;
    return { entries, nothingLeft, metadata: { resourceVersion: String(at) } };
  }
  return {
    entries,
    metadata: {
      resourceVersion: String(at),
      continue: writeContinue(at, entries.at(-1)!.key, prefix),
      ...(!options.matches && { remainingItemCount: left }),
    },
  };
}

/** Selects a page of entries, converted to the requested version, and counts the remaining ones. */
async function select(
  { resource, version }: Target,
  entries: readonly Entry[],
  limit: number,
  matches: ListOptions["matches"],
): Promise<{ entries: readonly Entry[]; left: number }> {
  if (!matches) {
    const page = entries.length > limit ? entries.slice(0, limit) : entries;
    return { entries: await resource.presentAll(page, version), left: entries.length - page.length };
  }
  const shown = await resource.presentAll(entries, version);
  const selected = shown.filter(({ object }) => matches(object));
  const left = Math.max(0, selected.length - limit);
  return { entries: left > 0 ? selected.slice(0, limit) : selected, left };
}

/** Revision 0 means any revision, and the limit is ignored. */
function servedFromCache({ resourceVersion, match }: ListOptions): boolean {
  return resourceVersion === "0" && match === "";
}

/** A legacy rule: with a limit and no `resourceVersionMatch`, the revision is exact. */
function exactByLimit({ resourceVersion, match, limit }: ListOptions): boolean {
  return limit > 0 && match === "" && resourceVersion !== "" && resourceVersion !== "0";
}

export function listReply(context: RequestContext, target: Target, found: FoundList): Reply {
  const { entries, metadata } = found;
  const representation = negotiate(context.request.headers.accept, target);
  const { form, metaVersion } = representation;
  if (form === "table") {
    const include = includeObjectOf(context.query);
    const now = target.core.clock.now();
    const table = tableOf(entries, target, { metaVersion, include, now, withDefinitions: true, metadata });
    return encode(table, representation);
  }
  if (form === "partial") {
    const items = found.nothingLeft ? null : entries.map((entry) => partialOf(entry, metaVersion));
    const list = {
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${metaVersion}`,
      metadata,
      items,
    };
    return encode(list, representation);
  }
  const { resource, version } = target;
  const apiVersion = apiVersionOf({ group: resource.group, version });
  // Lists of custom resources always have a `continue` field, as Go's unstructured lists do.
  const shown = resource.custom ? { continue: "", ...metadata } : metadata;
  if (representation.yaml) {
    const items = found.nothingLeft
      ? null
      : entries.map(({ object: { kind, apiVersion: own, ...rest } }) =>
          resource.custom ? { kind, apiVersion: own, ...rest } : rest,
        );
    return encode({ kind: resource.listKind, apiVersion, metadata: shown, items }, representation);
  }
  const head = `{"kind":${JSON.stringify(resource.listKind)},"apiVersion":"${apiVersion}","metadata":${JSON.stringify(shown)},"items":[`;
  const omitted = resource.custom ? "" : `{"kind":"${resource.kind}","apiVersion":"${apiVersion}",`;
  if (found.nothingLeft)
    return { code: 200, contentType: "application/json", body: `${head.slice(0, -1)}null}` };
  return { code: 200, contentType: "application/json", body: joinItems(head, entries, omitted) };
}

const comma = Buffer.from(",");
const brace = Buffer.from("{");

/** Joins the encoded items. Lists of built-in kinds omit each item's kind and apiVersion. */
function joinItems(head: string, entries: readonly Entry[], omitted: string): Buffer {
  const parts: Buffer[] = [Buffer.from(head)];
  const skip = Buffer.from(omitted);
  for (const [index, { bytes }] of entries.entries()) {
    if (index > 0) parts.push(comma);
    if (skip.length > 0 && bytes.subarray(0, skip.length).equals(skip)) {
      parts.push(brace, bytes.subarray(skip.length));
    } else parts.push(bytes);
  }
  parts.push(Buffer.from("]}"));
  return Buffer.concat(parts);
}
