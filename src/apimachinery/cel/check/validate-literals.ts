import type { Call, Expr, ListExpr, MapExpr } from "../ast.ts";
import { patternError } from "../../schema/pattern.ts";
import { parseGoDuration } from "../../schema/formats/times.ts";
import { CelSyntaxError, type Issue } from "../syntax/issue.ts";
import { type CelType, formatType, isOptional, isSameType } from "../types/type.ts";
import { parseTimestamp } from "../values/time.ts";

/**
 * Rejects literals that always fail at run time: invalid patterns, timestamps and durations, lists and maps with items
 * of several types, format strings that don't match their arguments.
 */
export function validateLiterals(source: string, expr: Expr): void {
  const issues: Issue[] = [];
  checkNode(expr, issues, false);
  if (issues.length > 0) throw new CelSyntaxError(source, issues);
}

/** Checks a node and those below it. The arguments of `format` may be of several types. */
function checkNode(node: Expr, issues: Issue[], inFormat: boolean): void {
  if (node.kind === "call") checkCall(node, issues);
  if (node.kind === "list" && !inFormat) checkList(node, issues);
  if (node.kind === "map" && !inFormat) checkMap(node, issues);
  const isFormat = node.kind === "call" && node.name === "format";
  for (const child of listChildren(node)) checkNode(child, issues, inFormat || isFormat);
}

function listChildren(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "select":
      return [expr.operand];
    case "call":
      return expr.target && expr.qualified === undefined ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.items;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.accuInit, expr.condition, expr.step, expr.result];
    default:
      return [];
  }
}

/** The functions whose literal argument is checked, with the check. */
const literalChecks: Readonly<Record<string, (text: string) => boolean>> = {
  duration: (text) => parseGoDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined,
  matches: isPattern,
  find: isPattern,
  findAll: isPattern,
};

function isPattern(text: string): boolean {
  return patternError(text) === undefined;
}

function checkCall(call: Call, issues: Issue[]): void {
  checkFormatCall(call, issues);
  const isValid = Object.hasOwn(literalChecks, call.name) ? literalChecks[call.name] : undefined;
  if (!isValid) return;
  const isPlainMatches = call.name === "matches" && !call.target;
  const argument = call.args[isPlainMatches ? 1 : 0];
  if (argument?.kind !== "literal" || typeof argument.value !== "string" || isValid(argument.value)) return;
  issues.push({ pos: argument.pos, message: `invalid ${call.name} argument` });
}

/** The types that a formatting clause accepts, and the message for others. */
const clauses: Readonly<Record<string, { readonly kinds: readonly string[]; readonly message: string }>> = {
  s: {
    kinds: "list map int uint double bool string timestamp bytes duration type null".split(" "),
    message:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  },
  d: { kinds: ["int", "uint"], message: "decimal clause can only be used on integers" },
  f: { kinds: ["double", "string"], message: "fixed-point clause can only be used on doubles" },
  e: { kinds: ["double", "string"], message: "scientific clause can only be used on doubles" },
  b: { kinds: ["int", "uint", "bool"], message: "only integers and bools can be formatted as binary" },
  o: { kinds: ["int", "uint"], message: "octal clause can only be used on integers" },
  x: {
    kinds: ["int", "uint", "string", "bytes"],
    message: "only integers, byte buffers, and strings can be formatted as hex",
  },
};

/** Checks a literal format string against the literal list of its arguments; reports only the first error. */
function checkFormatCall(call: Call, issues: Issue[]): void {
  const { target, args } = call;
  const list = args[0];
  if (call.name !== "format" || target?.kind !== "literal" || typeof target.value !== "string") return;
  if (args.length !== 1 || list?.kind !== "list") return;
  const report = (pos: number, message: string): number => issues.push({ pos, message });
  let argCount = 0;
  for (const [, percent, precision, clause] of target.value.matchAll(/%(?:(%)|(\.\d*)?(.)?)/gsu)) {
    if (percent !== undefined) continue;
    const accepted = clause === undefined ? undefined : clauses[clause === "X" ? "x" : clause];
    if (!accepted || (precision !== undefined && clause !== "f" && clause !== "e")) {
      report(call.pos, `could not parse formatting clause: unrecognized formatting clause "${clause ?? ""}"`);
      return;
    }
    const argument = list.items[argCount++];
    if (!argument) {
      report(call.pos, `index ${argCount - 1} out of range`);
      return;
    }
    const unformattable = findUnformattable(argument, accepted.kinds);
    if (!unformattable) continue;
    const { pos, type } = unformattable;
    report(pos, `error during formatting: ${accepted.message}, was given ${type!.runtimeName}`);
    return;
  }
  const count = list.items.length;
  if (count <= argCount) return;
  report(call.pos, `too many arguments supplied to string.format (expected ${argCount}, got ${count})`);
}

/** Returns the argument, or the part of a literal list or map, that a clause does not accept. */
function findUnformattable(expr: Expr, kinds: readonly string[]): Expr | undefined {
  const kind = expr.type?.kind ?? "dyn";
  if (kind !== "dyn" && !kinds.includes(kind)) return expr;
  if (expr.kind !== "list" && expr.kind !== "map") return undefined;
  const parts = expr.kind === "list" ? expr.items : expr.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const unformattable = findUnformattable(part, kinds);
    if (unformattable) return unformattable;
  }
  return undefined;
}

function checkList({ items, optional }: ListExpr, issues: Issue[]): void {
  checkSameType(items, (item, index) => unwrap(item.type!, optional.has(index)), issues);
}

function checkMap({ entries }: MapExpr, issues: Issue[]): void {
  const keys = entries.map(({ key }) => key);
  const values = entries.map(({ value }) => value);
  checkSameType(keys, (key) => key.type!, issues);
  checkSameType(values, (value, index) => unwrap(value.type!, entries[index]!.optional), issues);
}

/** Reports the first item whose type is not that of item 0. */
function checkSameType(
  items: readonly Expr[],
  typeOf: (item: Expr, index: number) => CelType,
  issues: Issue[],
): void {
  const expected = items[0] && typeOf(items[0], 0);
  const other = items.findIndex((item, index) => !isSameType(expected!, typeOf(item, index)));
  if (other === -1) return;
  const found = formatType(typeOf(items[other]!, other));
  issues.push({
    pos: items[other]!.pos,
    message: `expected type '${formatType(expected!)}' but found '${found}'`,
  });
}

function unwrap(type: CelType, optional: boolean): CelType {
  return optional && isOptional(type) ? type.params[0]! : type;
}
