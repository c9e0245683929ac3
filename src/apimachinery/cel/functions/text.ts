import { RE2JS } from "re2js";
import { EvalError } from "../values/eval-error.ts";
import { declare, method, typed } from "./function.ts";

const { bool, string } = typed;

const matches = (text: string, pattern: string): boolean => regex(pattern).test(text);

/** The string functions of CEL's standard library. */
export const text = [
  method("contains", "contains_string", [string, string], bool, (a, b) => a.includes(b)),
  method("endsWith", "ends_with_string", [string, string], bool, (a, b) => a.endsWith(b)),
  method("startsWith", "starts_with_string", [string, string], bool, (a, b) => a.startsWith(b)),
  declare("matches", "matches", [string, string], bool, matches),
  method("matches", "matches_string", [string, string], bool, matches),
];

const cachedPatterns = new Map<string, RE2JS>();
const maxCachedPatterns = 1000;

/** Compiles an RE2 pattern, or returns it from the cache. Throws an EvalError if it is invalid. */
export function regex(pattern: string): RE2JS {
  const cached = cachedPatterns.get(pattern);
  if (cached) return cached;
  try {
    const expression = RE2JS.compile(pattern);
    if (cachedPatterns.size >= maxCachedPatterns) cachedPatterns.clear();
    cachedPatterns.set(pattern, expression);
    return expression;
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    throw new EvalError(`error parsing regexp: ${reason}`);
  }
}
