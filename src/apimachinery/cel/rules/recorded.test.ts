import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { adapterOf } from "../schema/adapt.ts";
import { declTypeOf } from "../schema/decl-type.ts";
import { object, old, schema, withRules } from "../testdata/rule-cases.ts";
import { compileNodeRules, perCallLimit } from "./compile-rule.ts";

/** Recorded from the rule compiler of Kubernetes 1.36.3 by `testdata/oracle`. */
interface Answer {
  readonly rule: string;
  readonly error?: string;
  readonly maxCost?: number;
  readonly failure?: string;
  readonly result?: string;
  readonly cost?: number;
  readonly usesOldSelf?: boolean;
}

const answers = JSON.parse(
  readFileSync(new URL("../testdata/rule-answers.json", import.meta.url), "utf8"),
) as Answer[];

const adapt = adapterOf(schema, true);
const decl = declTypeOf(schema, true)!;
const variables = { self: adapt(object), oldSelf: adapt(old) };

function answer(rule: string): Answer {
  const [compiled] = compileNodeRules(withRules([{ rule }]), decl);
  const { error, program, maxCost, usesOldSelf } = compiled!;
  if (!program) return { rule, error: error! };
  const {
    value,
    error: failure,
    cost,
  } = program.evaluate((name) => variables[name as "self" | "oldSelf"], perCallLimit);
  return {
    rule,
    maxCost,
    ...(failure ? { failure: failure.message } : { result: typeof value === "boolean" ? String(value) : "" }),
    cost,
    ...(usesOldSelf ? { usesOldSelf } : {}),
  };
}

function withoutCostOfFailure({ cost, ...answer }: Answer): Answer {
  return answer.failure !== undefined || cost === undefined ? answer : { ...answer, cost };
}

describe("compileNodeRules() agrees with Kubernetes", () => {
  for (const expected of answers) {
    it(`on ${expected.rule}`, () => {
      const { cost, ...rest } = answer(expected.rule);
      // The cost of a failed evaluation differs: cel-go continues with the error as a value.
      expect(expected.failure === undefined ? { ...rest, cost } : rest).toEqual(
        withoutCostOfFailure(expected),
      );
    });
  }
});
