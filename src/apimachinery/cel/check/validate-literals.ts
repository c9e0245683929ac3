import type { Call, Expr, ListExpr, MapExpr } from "../ast.ts";
import { patternError } from "../../schema/pattern.ts";
import { parseGoDuration } from "../../schema/formats/go-duration.ts";
import { CelSyntaxError, type Issue } from "../syntax/issue.ts";
import { type CelType, formatType, isOptional, isSameType } from "../types/type.ts";
import { parseTimestamp } from "../values/time.ts";
import { checkFormatCall } from "./validate-format.ts";
import { visit } from "./visit.ts";

/**
 * Rejects literals that always fail at run time: invalid patterns, timestamps and durations, lists and maps with items
 * of several types, format strings that don't match their arguments.
 */
export function validateLiterals(source: string, expr: Expr): void {
  const issues: Issue[] = [];
  visit(expr, (node, parents) => {
    if (node.kind === "call") checkCall(node, issues);
    const isArgumentOfFormat = parents.some((parent) => parent.kind === "call" && parent.name === "format");
    if (isArgumentOfFormat) return;
    if (node.kind === "list") checkList(node, issues);
    else if (node.kind === "map") checkMap(node, issues);
  });
  if (issues.length > 0) throw new CelSyntaxError(source, issues);
}

/** The calls with literal arguments to check, and the index of that argument. */
const literalChecks: Readonly<Record<string, { readonly index: number; isValid(text: string): boolean }>> = {
  duration: { index: 0, isValid: (text) => parseGoDuration(text) !== undefined },
  timestamp: { index: 0, isValid: (text) => parseTimestamp(text) !== undefined },
  matches: { index: 0, isValid: (text) => patternError(text) === undefined },
};

function checkCall(call: Call, issues: Issue[]): void {
  checkFormatCall(call, issues);
  const check = Object.hasOwn(literalChecks, call.name) ? literalChecks[call.name] : undefined;
  if (!check) return;
  const isPlainMatches = call.name === "matches" && !call.target;
  const argument = call.args[isPlainMatches ? 1 : check.index];
  if (argument?.kind !== "literal" || typeof argument.value !== "string" || check.isValid(argument.value))
    return;
  issues.push({ pos: argument.pos, message: `invalid ${call.name} argument` });
}

function checkList({ items, optional }: ListExpr, issues: Issue[]): void {
  checkSame(items, (item, index) => unwrap(item.type!, optional.has(index)), issues);
}

function checkMap({ entries }: MapExpr, issues: Issue[]): void {
  const keys = entries.map(({ key }) => key);
  const values = entries.map(({ value }) => value);
  checkSame(keys, (key) => key.type!, issues);
  checkSame(values, (value, index) => unwrap(value.type!, entries[index]!.optional), issues);
}

/** Reports only the first item of another type. */
function checkSame(
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
