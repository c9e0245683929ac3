import { describe, expect, it } from "vitest";
import { compileProgram } from "./eval/program.ts";
import { check } from "./check/checker.ts";
import { Env } from "./check/env.ts";
import { kubernetesLibraries, kubernetesTypes } from "./lib/libraries.ts";
import { CelSyntaxError } from "./syntax/issue.ts";
import { parse } from "./syntax/parser.ts";
import { loadCases, type SpecCase } from "./testdata/cel-spec.ts";
import { formatType } from "./types/type.ts";
import { CelDouble, type Value, isEqualValue, typeOf } from "./values/value.ts";
import { EvalError } from "./values/eval-error.ts";
import { show } from "./values/convert.ts";

const { cases, leftOut } = loadCases();
const base = new Env({ libraries: kubernetesLibraries, types: kubernetesTypes, mixedLiterals: true });

describe("CEL passes the cases of cel-spec", () => {
  for (const [section, members] of groupCases()) {
    it(`${section}: ${members.length} cases`, () => {
      const failures = members.map(failure).filter((text) => text !== undefined);
      expect(failures).toEqual([]);
    });
  }

  it(`runs ${cases.length} cases and skips ${[...leftOut.values()].reduce((a, b) => a + b, 0)}`, () => {
    expect(cases.length).toBeGreaterThan(1300);
  });
});

function groupCases(): Map<string, SpecCase[]> {
  const groups = new Map<string, SpecCase[]>();
  for (const one of cases) {
    const key = `${one.suite}/${one.section}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

/** Returns how our result of a case differs, or undefined. */
function failure(one: SpecCase): string | undefined {
  const env = new Env(
    { variables: one.variables, ...(one.container === "" ? {} : { container: one.container }) },
    base,
  );
  const at = `${one.name}: ${one.expr}`;
  try {
    const expr = parse(one.expr);
    if (!one.disableCheck) {
      const type = check(one.expr, expr, env);
      if (one.type && formatType(type) !== formatType(one.type))
        return `${at}: type ${formatType(type)}, not ${formatType(one.type)}`;
    }
    if (one.value === undefined && !one.fails) return undefined;
    const bound = one.disableCheck
      ? new Env({ variables: Array.from(one.bindings, ([name, value]) => [name, typeOf(value)]) }, env)
      : env;
    const { value, error } = compileProgram(expr, bound).evaluate((name) =>
      one.bindings.get(name.replace(/^\./, "")),
    );
    if (one.fails) return error ? undefined : `${at}: ${show(value!)}, where it must fail`;
    if (error) return `${at}: ${error.message}`;
    return isSame(value!, one.value!) ? undefined : `${at}: ${show(value!)}, not ${show(one.value!)}`;
  } catch (error) {
    if (error instanceof CelSyntaxError || error instanceof EvalError)
      return one.fails ? undefined : `${at}: ${error.message}`;
    throw error;
  }
}

/** Returns true if values are equal and of the same type; NaN equals NaN. */
function isSame(value: Value, expected: Value): boolean {
  if (value instanceof CelDouble && expected instanceof CelDouble)
    return Object.is(value.value, expected.value) || value.value === expected.value;
  return typeOf(value).kind === typeOf(expected).kind && isEqualValue(value, expected);
}
