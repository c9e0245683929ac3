import {
  type FieldTerm,
  matchesFields,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import { CelDouble, CelSyntaxError, CelUint, type Expr, operators, parse } from "@tsbuilder/apimachinery/cel";
import { fnv64, quote } from "@tsbuilder/apimachinery/text";
import { type FieldError, forbidden, notSupported } from "@tsbuilder/apimachinery/errors";
import { StatusError, badRequest, invalidOptions } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { isTrue } from "../http/request-context.ts";
import type { Target } from "./target.ts";
import type { Resource } from "../registry/resource.ts";

type Predicate = (object: ApiObject) => boolean;

interface FieldSelector {
  readonly matches: Predicate;
  /** The only value that a field may have; undefined if there may be several. */
  readonly only: (field: string) => string | undefined;
}

/** Selects a part of the objects by the hash of a field: `shardRange(object.metadata.uid, '0x…', '0x…') || …`. */
interface ShardSelector {
  /** The selector as lists return it in their metadata. */
  readonly text: string;
  readonly matches: Predicate;
}

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
  /** The `resourceVersionMatch`. */
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

/** Reads the options of a list or watch from its query. Throws a 400 or an Invalid status for malformed ones. */
export function readListOptions(query: URLSearchParams, target: Target, isWatch = false): ListOptions {
  // The real server decodes numbers before it validates options.
  const timeoutSeconds = readInteger(query.get("timeoutSeconds"));
  const limit = readInteger(query.get("limit")) ?? 0;
  const labels = readLabelSelector(query.get("labelSelector") ?? "");
  const terms = parseSelector(parseFieldSelector, query.get("fieldSelector") ?? "");
  const options = {
    ...readStart(query, isWatch),
    labels,
    limit,
    continue: query.get("continue") ?? "",
    timeoutSeconds,
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
  };
  const problems = [...(isWatch ? checkWatchOptions(options) : checkListOptions(options))];
  if (problems.length > 0) throw invalidOptions("ListOptions", ...problems);
  const fields = readFieldSelector(terms, target.resource);
  const shard = parseShardSelector(query.get("shardSelector") ?? "");
  return { ...options, fields, shard, matches: allOf(labels, fields?.matches, shard?.matches) };
}

/** Reads the revision at which a list or watch starts. A watch without one behaves as with `sendInitialEvents=true`. */
function readStart(
  query: URLSearchParams,
  isWatch: boolean,
): Pick<ListOptions, "resourceVersion" | "match" | "sendInitialEvents"> {
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = (query.get("resourceVersionMatch") ?? "") as ListOptions["match"];
  const sendInitialEvents = query.get("sendInitialEvents");
  if (sendInitialEvents !== null)
    return { resourceVersion, match, sendInitialEvents: isTrue(sendInitialEvents) };
  if (isWatch && match === "" && (resourceVersion === "" || resourceVersion === "0"))
    return { resourceVersion, match: "NotOlderThan", sendInitialEvents: true };
  return { resourceVersion, match, sendInitialEvents: undefined };
}

/** Returns a predicate that requires all given ones; undefined if there are none. */
function allOf(...predicates: readonly (Predicate | undefined)[]): Predicate | undefined {
  return predicates.reduce((a, b) => (a && b ? (object) => a(object) && b(object) : (a ?? b)));
}

function readInteger(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^[-+]?\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/** Makes a predicate of `app=web,tier in (a,b),!legacy`; undefined for an empty selector. */
function readLabelSelector(text: string): Predicate | undefined {
  const requirements = parseSelector(parseLabelSelector, text);
  if (requirements.length === 0) return undefined;
  return ({ metadata }) => matchesRequirements(requirements, metadata.labels ?? {});
}

function parseSelector<T>(parse: (text: string) => T, selector: string): T {
  try {
    return parse(selector);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

/** Reads the terms of `metadata.name=x,status.phase!=Running`. Each kind has its own selectable fields. */
function readFieldSelector(terms: readonly FieldTerm[], resource: Resource): FieldSelector | undefined {
  if (terms.length === 0) return undefined;
  const readers = new Map(terms.map(({ field }) => [field, readerOf(field, resource)]));
  return {
    matches: (object) => matchesFields(terms, (field) => readers.get(field)!(object)),
    only: (field) => terms.find((term) => term.field === field && term.operator === "=")?.value,
  };
}

function readerOf(field: string, resource: Resource): (object: ApiObject) => string {
  if (field === "metadata.name") return ({ metadata }) => metadata.name ?? "";
  const selectsNamespace = resource.namespaced && resource.plural !== "podcertificaterequests";
  if (field === "metadata.namespace" && (selectsNamespace || hasNoSelectors(resource)))
    return ({ metadata }) => metadata.namespace ?? "";
  const { fieldSelectors } = resource.strategy;
  const reader = fieldSelectors?.get(field);
  if (reader) return reader;
  if (!hasNoSelectors(resource))
    throw badRequest(resource.strategy.refuseSelector?.(field) ?? `field label not supported: ${field}`);
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Returns true for built-in kinds without field selectors: even if cluster-scoped, they accept `metadata.namespace`. */
function hasNoSelectors({ custom, strategy }: Resource): boolean {
  return !custom && !strategy.fieldSelectors?.size;
}

type CheckedOptions = Pick<ListOptions, "resourceVersion" | "continue" | "sendInitialEvents"> & {
  readonly match: string;
};

const matchField = "resourceVersionMatch";

function* checkListOptions(options: CheckedOptions): Generator<FieldError> {
  const { match, resourceVersion, continue: token, sendInitialEvents } = options;
  if (match !== "") {
    if (resourceVersion === "") yield matchForbidden("is forbidden unless resourceVersion is provided");
    if (token !== "") yield matchForbidden("is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan") {
      yield notSupported(matchField, match, ["Exact", "NotOlderThan", ""]);
    }
    if (match === "Exact" && resourceVersion === "0") {
      yield matchForbidden('"exact" is forbidden for resourceVersion "0"');
    }
  }
  if (sendInitialEvents !== undefined)
    yield forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
}

function* checkWatchOptions(options: CheckedOptions): Generator<FieldError> {
  const { match, continue: token, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    yield forbidden(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match === "") return;
  if (sendInitialEvents === undefined) {
    yield matchForbidden("is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match !== "NotOlderThan") yield notSupported(matchField, match, ["NotOlderThan"]);
  if (token !== "") yield matchForbidden("is forbidden when continue is provided");
}

function matchForbidden(why: string): FieldError {
  return forbidden(matchField, `${matchField} ${why}`);
}

/** The requested revision of a get, list or watch. Throws if it is in the future. */
export function requestedRevision(options: Pick<ListOptions, "resourceVersion">, current: number): number {
  const { resourceVersion } = options;
  if (resourceVersion === "") return current;
  if (!/^\d+$/.test(resourceVersion)) throw malformedRevision(resourceVersion, true);
  const revision = Number(resourceVersion);
  if (revision > current) throw tooNew(revision, current);
  return revision;
}

/** The error for a malformed revision. Lists, and a GET of an Event, have another one than gets and watches. */
export function malformedRevision(text: string, isList: boolean): StatusError {
  const [sent, why] = [JSON.stringify(text), "invalid syntax"];
  const message = `resourceVersion: Invalid value: ${sent}: strconv.ParseUint: parsing ${sent}: ${why}`;
  if (isList) return badRequest(`invalid resource version: ${message}`);
  return new StatusError(500, undefined, message);
}

/** The requested revision is in the future, perhaps from another cluster: the client should wait and try again. */
function tooNew(revision: number, current: number): StatusError {
  const message = "Too large resource version";
  return new StatusError(504, "Timeout", `Timeout: ${message}: ${revision}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message }],
    retryAfterSeconds: 1,
  });
}

/** The fields whose hashes divide objects into shards. */
const shardFields: Readonly<Record<string, (object: ApiObject) => string>> = {
  "object.metadata.uid": ({ metadata }) => metadata.uid ?? "",
  "object.metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

/** Parses the selector of KEP-5866, whose syntax is that of CEL. Returns undefined for an empty text. */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === "") return undefined;
  const ranges = readRanges(parseExpression(text));
  const { field } = ranges[0]!;
  const otherRange = ranges.find((range) => range.field !== field);
  if (otherRange) {
    throw invalidShard(
      `all shard ranges must use the same field, got ${quote(field)} and ${quote(otherRange.field)}`,
    );
  }
  const read = shardFields[field]!;
  const bounds = ranges.map(({ start, end }) => [BigInt(start), BigInt(end)] as const);
  return {
    text: ranges.map((range) => `shardRange(${range.field}, '${range.start}', '${range.end}')`).join(" || "),
    matches(object) {
      const hash = fnv64(read(object));
      return bounds.some(([start, end]) => start <= hash && hash < end);
    },
  };
}

function parseExpression(text: string): Expr {
  const expression = text.trim();
  if (expression === "")
    throw invalidShard("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  try {
    return parse(expression, { macros: false });
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    throw invalidShard(`CEL parse error: ${error.issues[0]!.message}`);
  }
}

/** The hashes from `start` to below `end`, in hexadecimal. */
interface Range {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

/** The kinds of expressions in the order of cel-go's numbers, by which its errors name them: a call is 1. */
const kindsInOrder = "call comprehension ident list literal map select struct".split(" ");
const kindNumber = ({ kind }: Expr): number => 1 + kindsInOrder.indexOf(kind);

function readRanges(expr: Expr): Range[] {
  if (expr.kind !== "call") {
    throw invalidShard(
      `unexpected expression kind ${kindNumber(expr)}; expected shardRange() call or || operator`,
    );
  }
  const { name, args } = expr;
  if (name === operators.or) return args.flatMap(readRanges);
  if (name === "shardRange") return [readRange(args)];
  throw invalidShard(`unsupported function ${quote(name)}; only shardRange() and || are allowed`);
}

function readRange(args: readonly Expr[]): Range {
  if (args.length !== 3) throw invalidShard(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const field = readFieldPath(args[0]!);
  if (!Object.hasOwn(shardFields, field)) {
    throw invalidShard(
      `unsupported field path ${quote(field)}; supported: ${Object.keys(shardFields).join(", ")}`,
    );
  }
  const start = readBound(args[1]!, "hexStart");
  const end = readBound(args[2]!, "hexEnd");
  if (BigInt(start) >= BigInt(end)) {
    throw invalidShard(`shard range start ${start} must be less than end ${end}`);
  }
  return { field, start, end };
}

function readFieldPath(expr: Expr): string {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind === "select") return `${readFieldPath(expr.operand)}.${expr.field}`;
  throw invalidShard(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumber(expr)}`,
  );
}

/** Reads a bound: sixteen digits, or 2^64 as the end of the last shard. */
function readBound(expr: Expr, name: string): string {
  if (expr.kind !== "literal") {
    throw invalidShard(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumber(expr)}`,
    );
  }
  const { value: text } = expr;
  if (typeof text !== "string") throw invalidShard(`${name} must be a string literal, got ${goType(text)}`);
  if (!text.startsWith("0x")) throw invalidShard(`${name} must have '0x' prefix, got ${quote(text)}`);
  const digits = text.slice(2);
  const digitCount = Buffer.byteLength(digits);
  if (digitCount === 0) throw invalidShard(`${name}: hex value is required after '0x'`);
  if (digitCount > 17) {
    throw invalidShard(`${name}: hex value too long (${digitCount} chars, max 17): ${quote(digits)}`);
  }
  const wrong = /[^0-9a-f]/u.exec(digits);
  if (wrong) throw invalidShard(`${name}: invalid hex character ${quote(wrong[0])} in ${quote(text)}`);
  if (digitCount === 17 && text !== "0x10000000000000000") {
    throw invalidShard(
      `${name}: 17-digit hex value must be '0x10000000000000000' (2^64), got ${quote(text)}`,
    );
  }
  if (digitCount < 16) {
    const padded = `0x${digits.padStart(16, "0")}`;
    throw invalidShard(
      `${name} must be a 0x-prefixed 16-digit hex value, got ${quote(text)} (did you mean ${quote(padded)}?)`,
    );
  }
  return text;
}

/** Returns the Go type of a literal, which messages name. */
function goType(value: unknown): string {
  if (value === null) return "structpb.NullValue";
  if (typeof value === "boolean") return "bool";
  if (value instanceof CelDouble) return "float64";
  if (value instanceof CelUint) return "uint64";
  return value instanceof Uint8Array ? "[]uint8" : "int64";
}

/** As on the real server, a malformed shard selector is a 500. */
function invalidShard(why: string): StatusError {
  return new StatusError(500, undefined, `invalid shard selector: ${why}`);
}
