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

/** A part of the objects, by the hashes of a field: `shardRange(object.metadata.uid, '0x…', '0x…') || …`. */
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
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

export function readListOptions(query: URLSearchParams, target: Target, watch = false): ListOptions {
  // The real server decodes numbers before it validates options.
  const timeoutSeconds = readInteger(query.get("timeoutSeconds"));
  const limit = readInteger(query.get("limit")) ?? 0;
  const labels = readLabelSelector(query.get("labelSelector") ?? "");
  const terms = parsed(parseFieldSelector, query.get("fieldSelector") ?? "");
  const options = {
    ...startOf(query, watch),
    labels,
    limit,
    continue: query.get("continue") ?? "",
    timeoutSeconds,
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
  };
  const problems = [...(watch ? watchProblems(options) : listProblems(options))];
  if (problems.length > 0) throw invalidOptions("ListOptions", ...problems);
  const fields = readFieldSelector(terms, target.resource);
  const shard = parseShardSelector(query.get("shardSelector") ?? "");
  return { ...options, fields, shard, matches: both(both(labels, fields?.matches), shard?.matches) };
}

/** The start of a list or watch. A watch without a revision behaves as with `sendInitialEvents=true`. */
function startOf(
  query: URLSearchParams,
  watch: boolean,
): Pick<ListOptions, "resourceVersion" | "match" | "sendInitialEvents"> {
  const resourceVersion = query.get("resourceVersion") ?? "";
  const match = (query.get("resourceVersionMatch") ?? "") as ListOptions["match"];
  const sendInitialEvents = query.get("sendInitialEvents");
  if (sendInitialEvents !== null)
    return { resourceVersion, match, sendInitialEvents: isTrue(sendInitialEvents) };
  if (watch && match === "" && (resourceVersion === "" || resourceVersion === "0"))
    return { resourceVersion, match: "NotOlderThan", sendInitialEvents: true };
  return { resourceVersion, match, sendInitialEvents: undefined };
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

/** Makes a predicate of `app=web,tier in (a,b),!legacy`; undefined for an empty selector. */
function readLabelSelector(text: string): Predicate | undefined {
  const requirements = parsed(parseLabelSelector, text);
  if (requirements.length === 0) return undefined;
  return ({ metadata }) => matchesRequirements(requirements, metadata.labels ?? {});
}

function parsed<T>(parse: (text: string) => T, selector: string): T {
  try {
    return parse(selector);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

const readers: Readonly<Record<string, (object: ApiObject) => string>> = {
  "object.metadata.uid": ({ metadata }) => metadata.uid ?? "",
  "object.metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

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
  if (field === "metadata.namespace" && (resource.namespaced || isUnselective(resource)))
    return ({ metadata }) => metadata.namespace ?? "";
  const { fieldSelectors } = resource.strategy;
  const own = fieldSelectors?.get(field);
  if (own) return own;
  if (!isUnselective(resource))
    throw badRequest(resource.strategy.refuseSelector?.(field) ?? `field label not supported: ${field}`);
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

/** Returns true for built-in kinds without own selectors: they accept `metadata.namespace` even if cluster-scoped. */
function isUnselective({ custom, strategy }: Resource): boolean {
  return !custom && !strategy.fieldSelectors?.size;
}

type CheckedOptions = Pick<ListOptions, "resourceVersion" | "continue" | "sendInitialEvents"> & {
  readonly match: string;
};

const matchField = "resourceVersionMatch";

function* listProblems(options: CheckedOptions): Generator<FieldError> {
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

function* watchProblems({
  match,
  continue: token,
  sendInitialEvents,
}: CheckedOptions): Generator<FieldError> {
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
export function requestedRevision(
  { resourceVersion }: Pick<ListOptions, "resourceVersion">,
  current: number,
): number {
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

/** Parses the selector of KEP-5866, whose syntax is that of CEL. Returns undefined for an empty text. */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === "") return undefined;
  const ranges = rangesOf(parseExpression(text));
  const { field } = ranges[0]!;
  const other = ranges.find((range) => range.field !== field);
  if (other) {
    throw invalid(`all shard ranges must use the same field, got ${quote(field)} and ${quote(other.field)}`);
  }
  const read = readers[field]!;
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
    throw invalid("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  try {
    return parse(expression, { macros: false });
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    throw invalid(`CEL parse error: ${error.issues[0]!.message}`);
  }
}

interface Range {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

/** The numbers by which cel-go's errors name the kinds of expressions. */
const kindNumbers: Readonly<Record<Expr["kind"], number>> = {
  call: 1,
  comprehension: 2,
  ident: 3,
  list: 4,
  literal: 5,
  map: 6,
  select: 7,
  struct: 8,
};

function rangesOf(expr: Expr): Range[] {
  if (expr.kind !== "call") {
    throw invalid(
      `unexpected expression kind ${kindNumbers[expr.kind]}; expected shardRange() call or || operator`,
    );
  }
  const { name, args } = expr;
  if (name === operators.or) return args.flatMap(rangesOf);
  if (name === "shardRange") return [rangeOf(args)];
  throw invalid(`unsupported function ${quote(name)}; only shardRange() and || are allowed`);
}

function rangeOf(args: readonly Expr[]): Range {
  if (args.length !== 3) throw invalid(`shardRange() requires exactly 3 arguments, got ${args.length}`);
  const field = fieldPath(args[0]!);
  if (!Object.hasOwn(readers, field)) {
    throw invalid(`unsupported field path ${quote(field)}; supported: ${Object.keys(readers).join(", ")}`);
  }
  const start = hexLiteral(args[1]!, "hexStart");
  const end = hexLiteral(args[2]!, "hexEnd");
  if (BigInt(start) >= BigInt(end)) {
    throw invalid(`shard range start ${start} must be less than end ${end}`);
  }
  return { field, start, end };
}

function fieldPath(expr: Expr): string {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind === "select") return `${fieldPath(expr.operand)}.${expr.field}`;
  throw invalid(
    `shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind ${kindNumbers[expr.kind]}`,
  );
}

/** Reads a bound: sixteen digits, or 2^64 as the end of the last shard. */
function hexLiteral(expr: Expr, name: string): string {
  if (expr.kind !== "literal") {
    throw invalid(
      `${name} must be a string literal (e.g. '0xff'), got expression kind ${kindNumbers[expr.kind]}`,
    );
  }
  const { value: text } = expr;
  if (typeof text !== "string") throw invalid(`${name} must be a string literal, got ${goType(text)}`);
  if (!text.startsWith("0x")) throw invalid(`${name} must have '0x' prefix, got ${quote(text)}`);
  const digits = text.slice(2);
  const count = Buffer.byteLength(digits);
  if (count === 0) throw invalid(`${name}: hex value is required after '0x'`);
  if (count > 17) {
    throw invalid(`${name}: hex value too long (${count} chars, max 17): ${quote(digits)}`);
  }
  const wrong = /[^0-9a-f]/u.exec(digits);
  if (wrong) throw invalid(`${name}: invalid hex character ${quote(wrong[0])} in ${quote(text)}`);
  if (count === 17 && text !== "0x10000000000000000") {
    throw invalid(`${name}: 17-digit hex value must be '0x10000000000000000' (2^64), got ${quote(text)}`);
  }
  if (count < 16) {
    const padded = `0x${digits.padStart(16, "0")}`;
    throw invalid(
      `${name} must be a 0x-prefixed 16-digit hex value, got ${quote(text)} (did you mean ${quote(padded)}?)`,
    );
  }
  return text;
}

function goType(value: unknown): string {
  if (value === null) return "structpb.NullValue";
  if (typeof value === "boolean") return "bool";
  if (value instanceof CelDouble) return "float64";
  if (value instanceof CelUint) return "uint64";
  return value instanceof Uint8Array ? "[]uint8" : "int64";
}

/** As on the real server, a malformed shard selector is a 500. */
function invalid(why: string): StatusError {
  return new StatusError(500, undefined, `invalid shard selector: ${why}`);
}
