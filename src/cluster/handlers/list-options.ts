import { StatusError, badRequest } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { isTrue } from "../http/request-info.ts";
import { type FieldSelector, parseTerms, readFieldSelector } from "./field-selector.ts";
import { parseLabelSelector } from "./label-selector.ts";
import { parseShardSelector, type ShardSelector } from "./shard-selector.ts";
import type { Target } from "./target.ts";

/** The validated options of list and watch. */
export interface ListOptions {
  /** All selectors together. */
  readonly matches: Predicate | undefined;
  readonly labels: Predicate | undefined;
  readonly fields: FieldSelector | undefined;
  readonly shard: ShardSelector | undefined;
  readonly limit: number;
  readonly continue: string;
  /** Empty if the client sent none. */
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

type Predicate = (object: ApiObject) => boolean;

export function readListOptions(query: URLSearchParams, target: Target, watch = false): ListOptions {
  // Numbers are read before anything else is looked at.
  const timeoutSeconds = readInteger(query.get("timeoutSeconds"));
  const limit = readInteger(query.get("limit")) ?? 0;
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const terms = parseTerms(query.get("fieldSelector") ?? "");
  const sendInitialEvents = query.get("sendInitialEvents");
  const options: Omit<ListOptions, "matches" | "shard" | "fields"> = {
    labels,
    limit,
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    match: readMatch(query.get("resourceVersionMatch") ?? ""),
    timeoutSeconds,
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
  };
  if (watch) checkWatch(options);
  else checkList(options);
  const fields = readFieldSelector(terms, target.resource);
  const shard = parseShardSelector(query.get("shardSelector") ?? "");
  return { ...options, fields, shard, matches: both(both(labels, fields?.matches), shard?.matches) };
}

function both(a: Predicate | undefined, b: Predicate | undefined): Predicate | undefined {
  return a && b ? (object) => a(object) && b(object) : (a ?? b);
}

function readInteger(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^[-+]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

function readMatch(text: string): ListOptions["match"] {
  if (text === "" || text === "Exact" || text === "NotOlderThan") return text;
  throw invalidList(
    "resourceVersionMatch",
    "FieldValueNotSupported",
    `Unsupported value: ${JSON.stringify(text)}: supported values: "Exact", "NotOlderThan", ""`,
  );
}

type CheckedOptions = Pick<ListOptions, "match" | "resourceVersion" | "continue" | "sendInitialEvents">;

function checkList({ match, resourceVersion, continue: token, sendInitialEvents }: CheckedOptions): void {
  const field = "resourceVersionMatch";
  const messages: string[] = [];
  if (sendInitialEvents !== undefined) {
    throw invalidList(
      "sendInitialEvents",
      "FieldValueForbidden",
      "Forbidden: sendInitialEvents is forbidden for list",
    );
  }
  if (match !== "") {
    if (resourceVersion === "")
      messages.push("resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (token !== "") messages.push("resourceVersionMatch is forbidden when continue is provided");
    if (match === "Exact" && resourceVersion === "0") {
      messages.push('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (messages.length > 0) {
    const texts = messages.map((message) => `Forbidden: ${message}`);
    throw invalidLists(texts.map((message) => ({ field, reason: "FieldValueForbidden", message })));
  }
  if (token !== "" && resourceVersion !== "" && resourceVersion !== "0") {
    throw badRequest("specifying resource version is not allowed when using continue");
  }
}

function checkWatch({ match, sendInitialEvents }: CheckedOptions): void {
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    throw invalidList(
      "resourceVersionMatch",
      "FieldValueForbidden",
      "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    );
  }
  if (match !== "" && sendInitialEvents === undefined) {
    throw invalidList(
      "resourceVersionMatch",
      "FieldValueForbidden",
      "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  }
}

function invalidList(field: string, reason: string, message: string): StatusError {
  return invalidLists([{ field, reason, message }]);
}

function invalidLists(
  causes: ReadonlyArray<{ field: string; reason: string; message: string }>,
): StatusError {
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  const body = lines.length === 1 ? lines[0]! : `[${lines.join(", ")}]`;
  return new StatusError(422, "Invalid", `ListOptions.meta.k8s.io "" is invalid: ${body}`, {
    group: "meta.k8s.io",
    kind: "ListOptions",
    causes: [...causes],
  });
}
