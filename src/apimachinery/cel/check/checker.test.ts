import { tests as checking } from "@bufbuild/cel-spec/testdata/checking.js";
import { describe, expect, it } from "vitest";
import { kubernetesLibraries, kubernetesTypes } from "../lib/libraries.ts";
import { CelSyntaxError } from "../syntax/issue.ts";
import { parse } from "../syntax/parser.ts";
import { toType } from "../testdata/cel-spec.ts";
import { type CelType, formatType, types } from "../types/type.ts";
import { check } from "./checker.ts";
import { Env } from "./env.ts";

interface Declaration {
  readonly name: string;
  readonly ident?: { readonly type: Record<string, unknown> };
  readonly function?: object;
}

interface CheckingCase {
  readonly original: {
    readonly expr: string;
    readonly container?: string;
    readonly typeEnv?: readonly Declaration[];
  };
  readonly type?: string;
  readonly error?: string;
}

const all = (checking as unknown as { tests: readonly CheckingCase[] }).tests;

/** The variables that the suite declares for all its cases. */
const common: readonly (readonly [string, CelType])[] = [
  ["is", types.string],
  ["ii", types.int],
  ["iu", types.uint],
  ["iz", types.bool],
  ["ib", types.bytes],
  ["id", types.double],
  ["ix", types.null],
];

const base = new Env({
  libraries: kubernetesLibraries,
  types: kubernetesTypes,
  mixedLiterals: true,
  variables: common,
});

function isApplicable({ original, error = "" }: CheckingCase): boolean {
  const text = JSON.stringify(original);
  // The API server has no protobuf messages.
  if (/TestAllTypes|NotAMessage|google\.protobuf|proto[23]/.test(text)) return false;
  // Functions that are declared in the suite only.
  const declared = (original.typeEnv ?? []).filter(({ function: declaration }) => declaration !== undefined);
  if (declared.some(({ name }) => original.expr.includes(name.split(".").at(-1)!))) return false;
  if (/\bf[gi]_s/.test(original.expr)) return false;
  // The suite disables optional syntax and comparisons across numeric types.
  return !/unsupported syntax/.test(error) && !/^1 [<>]=? 1\.0 &&/.test(original.expr);
}

function answer({ original }: CheckingCase): { type?: string; error?: string } {
  const { expr, container = "", typeEnv = [] } = original;
  const variables = typeEnv.flatMap(({ name, ident }) =>
    ident ? [[name, toType(ident.type)] as const] : [],
  );
  try {
    const env = new Env({ variables, ...(container === "" ? {} : { container }) }, base);
    return { type: formatType(check(expr, parse(expr), env)) };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { error: error.message };
    throw error;
  }
}

const cases = all.filter(isApplicable);

describe("check() passes the checking cases of cel-spec", () => {
  it(`${cases.length} types and errors; ${all.length - cases.length} left out`, () => {
    for (const one of cases) {
      const { type, error } = one;
      const expected = type === undefined ? { error } : { type };
      expect({ expr: one.original.expr, ...answer(one) }).toEqual({ expr: one.original.expr, ...expected });
    }
    expect(cases.length).toBeGreaterThan(60);
  });
});
