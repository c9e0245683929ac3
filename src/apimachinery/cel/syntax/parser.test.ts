import { tests as parsing } from "@bufbuild/cel-spec/testdata/parsing.js";
import { describe, expect, it } from "vitest";
import { printAst } from "../testdata/print-ast.ts";
import { formatIssues, CelSyntaxError } from "./issue.ts";
import { parse } from "./parser.ts";

interface ParsingCase {
  readonly original: { readonly expr: string };
  readonly ast?: string;
  readonly error?: string;
}

const cases = (parsing as unknown as { tests: readonly ParsingCase[] }).tests;

/** Why our error of a case differs. */
function reasonToLeaveOut(error: string): string | undefined {
  if (/recursion|limit exceeded/.test(error))
    return "limits of the suite: 32 levels, 4 recoveries; API servers allow 250 and 30";
  if (/unsupported syntax '/.test(error)) return "optional syntax, which the suite has turned off";
  return undefined;
}

/**
 * Errors after which ANTLR reports a second one from error recovery, or lists one more expected token. We report the
 * position and the reason, and stop.
 */
const differing: ReadonlySet<string> = new Set([
  "{",
  "1 + +",
  '"\\xFh"',
  "      '😁' in ['😁', '😑', '😦']\n\t\t\t&& in.😁",
  "in",
  "[1, 2, 3].map(var, var * var)",
  "func{{a}}",
  "{:a}",
  "--",
  "?",
  "a.`$b`",
  "a.`b.c`()",
]);

function errorOf(source: string): string | undefined {
  try {
    parse(source);
    return undefined;
  } catch (error) {
    if (error instanceof CelSyntaxError) return formatIssues(source, error.issues, "");
    throw error;
  }
}

const trees = cases.filter(({ ast }) => ast !== undefined);
const errors = cases.filter(
  ({ ast, error = "" }) => ast === undefined && reasonToLeaveOut(error) === undefined,
);

describe("parse() passes the parsing cases of cel-spec", () => {
  it(`${trees.length} trees`, () => {
    const failures = trees.filter(({ original, ast }) => printAst(parse(original.expr)) !== ast);
    expect(failures.map(({ original }) => original.expr)).toEqual([]);
  });

  it(`${errors.length} errors, for ${differing.size} of them the first position only`, () => {
    for (const { original, error = "" } of errors) {
      const expected = differing.has(original.expr) ? placeOf(error) : error;
      const actual = errorOf(original.expr) ?? "";
      expect({ expr: original.expr, error: differing.has(original.expr) ? placeOf(actual) : actual }).toEqual(
        {
          expr: original.expr,
          error: expected,
        },
      );
    }
  });
});

/** Returns line and column of the first error. */
function placeOf(error: string): string {
  return error.split(": ")[1] ?? "";
}
