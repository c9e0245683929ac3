import {
  type FieldTerm,
  matchesFields,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "@tsbuilder/apimachinery/selector";
import { StatusError, badRequest } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { isTrue } from "../http/request-context.ts";
import { type ShardSelector, parseShardSelector } from "./shard-selector.ts";
import type { Target } from "./target.ts";
import type { Resource } from "../registry/resource.ts";

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
  // The real server decodes numbers before it validates options.
  const timeoutSeconds = readInteger(query.get("timeoutSeconds"));
  const limit = readInteger(query.get("limit")) ?? 0;
  const labels = readLabelSelector(query.get("labelSelector") ?? "");
  const terms = parseTerms(query.get("fieldSelector") ?? "");
  const options = {
    ...startOf(query, watch),
    labels,
    limit,
    continue: query.get("continue") ?? "",
    timeoutSeconds,
    allowBookmarks: isTrue(query.get("allowWatchBookmarks")),
  };
  const problems = [...(watch ? watchProblems(options) : listProblems(options))];
  if (problems.length > 0) throw invalidOptions(problems);
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

/** Parses `app=web,tier in (a,b),!legacy` into a predicate; undefined for an empty selector. */
function readLabelSelector(text: string): ((object: ApiObject) => boolean) | undefined {
  try {
    const requirements = parseLabelSelector(text);
    if (requirements.length === 0) return undefined;
    return ({ metadata }) => matchesRequirements(requirements, metadata.labels ?? {});
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

type Reader = (object: ApiObject) => string;

interface FieldSelector {
  readonly matches: (object: ApiObject) => boolean;
  /** The only value that a field may have; undefined if there may be several. */
  readonly only: (field: string) => string | undefined;
}

/** Parses a field selector of any fields. */
function parseTerms(text: string): FieldTerm[] {
  try {
    return parseFieldSelector(text);
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

function readerOf(field: string, resource: Resource): Reader {
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

/**
 * Returns true for a built-in kind without selectable fields of its own: it accepts `metadata.namespace` even if
 * cluster-scoped.
 */
function isUnselective({ custom, strategy }: Resource): boolean {
  return !custom && !strategy.fieldSelectors?.size;
}

type CheckedOptions = Pick<ListOptions, "resourceVersion" | "continue" | "sendInitialEvents"> & {
  readonly match: string;
};

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

function* listProblems(options: CheckedOptions): Generator<Cause> {
  const { match, resourceVersion, continue: token, sendInitialEvents } = options;
  if (match !== "") {
    if (resourceVersion === "") yield forbidden("is forbidden unless resourceVersion is provided");
    if (token !== "") yield forbidden("is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan") {
      yield unsupported(match, ["Exact", "NotOlderThan", ""]);
    }
    if (match === "Exact" && resourceVersion === "0") {
      yield forbidden('"exact" is forbidden for resourceVersion "0"');
    }
  }
  if (sendInitialEvents !== undefined) {
    const message = "Forbidden: sendInitialEvents is forbidden for list";
    yield { field: "sendInitialEvents", reason: "FieldValueForbidden", message };
  }
}

function* watchProblems({ match, continue: token, sendInitialEvents }: CheckedOptions): Generator<Cause> {
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const message = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    yield { field: matchField, reason: "FieldValueForbidden", message };
  }
  if (match === "") return;
  if (sendInitialEvents === undefined) {
    yield forbidden("is forbidden for watch unless sendInitialEvents is provided");
  }
  if (match !== "NotOlderThan") yield unsupported(match, ["NotOlderThan"]);
  if (token !== "") yield forbidden("is forbidden when continue is provided");
}

const matchField = "resourceVersionMatch";

function forbidden(why: string): Cause {
  return { field: matchField, reason: "FieldValueForbidden", message: `Forbidden: ${matchField} ${why}` };
}

function unsupported(match: string, supported: readonly string[]): Cause {
  const [shown, all] = [JSON.stringify(match), supported.map((each) => JSON.stringify(each)).join(", ")];
  const message = `Unsupported value: ${shown}: supported values: ${all}`;
  return { field: matchField, reason: "FieldValueNotSupported", message };
}

function invalidOptions(causes: readonly Cause[]): StatusError {
  const lines = causes.map(({ field, message }) => `${field}: ${message}`);
  const body = lines.length === 1 ? lines[0]! : `[${lines.join(", ")}]`;
  return new StatusError(422, "Invalid", `ListOptions.meta.k8s.io "" is invalid: ${body}`, {
    group: "meta.k8s.io",
    kind: "ListOptions",
    causes: [...causes],
  });
}
