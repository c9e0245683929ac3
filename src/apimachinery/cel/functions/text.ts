import { RE2JS } from "re2js";
import { EvalError } from "../values/eval-error.ts";
import { declare, method, typed } from "./function.ts";

const { bool, string } = typed;
const compiled = new Map<string, RE2JS>();
const limit = 1000;

const matches = (text: string, pattern: string): boolean => regex(pattern).test(text);

/** The string functions of CEL's standard library. */
export const text = [
  method("contains", "contains_string", [string, string], bool, (a, b) => a.includes(b)),
  method("endsWith", "ends_with_string", [string, string], bool, (a, b) => a.endsWith(b)),
  method("startsWith", "starts_with_string", [string, string], bool, (a, b) => a.startsWith(b)),
  declare("matches", "matches", [string, string], bool, matches),
  method("matches", "matches_string", [string, string], bool, matches),
];

/** Compiles an RE2 pattern; recent ones are cached. */
export function regex(pattern: string): RE2JS {
  const existing = compiled.get(pattern);
  if (existing) return existing;
  try {
    const expression = RE2JS.compile(pattern);
    if (compiled.size >= limit) compiled.clear();
    compiled.set(pattern, expression);
    return expression;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    throw new EvalError(`error parsing regexp: ${reason}`);
  }
}
