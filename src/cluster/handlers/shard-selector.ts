import { CelDouble, CelSyntaxError, CelUint, type Expr, operators, parse } from "@tsbuilder/apimachinery/cel";
import { fnv64, quote } from "@tsbuilder/apimachinery/text";
import type { ApiObject } from "../contract/api-object.ts";
import { StatusError } from "../contract/status-error.ts";

/** A part of the objects, by the hashes of a field: `shardRange(object.metadata.uid, '0x…', '0x…') || …`. */
export interface ShardSelector {
  /** The selector as lists return it in their metadata. */
  readonly text: string;
  readonly matches: (object: ApiObject) => boolean;
}

interface Range {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

const readers: Readonly<Record<string, (object: ApiObject) => string>> = {
  "object.metadata.uid": ({ metadata }) => metadata.uid ?? "",
  "object.metadata.namespace": ({ metadata }) => metadata.namespace ?? "",
};

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
