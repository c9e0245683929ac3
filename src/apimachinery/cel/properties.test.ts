import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CelSyntaxError,
  checkSchema,
  compile,
  compileRules,
  compileValidator,
  kubernetesEnv,
  types,
} from "./index.ts";
import type { JSONSchema } from "../schema/json-schema.ts";
import { parse } from "./syntax/parser.ts";
import { expressions } from "./testdata/rule-cases.ts";

const env = kubernetesEnv().withVariables([
  ["self", types.dyn],
  ["x", types.dyn],
]);

/** Random strings that resemble CEL. */
const fragments = fc.constantFrom(
  "self",
  "x",
  ".",
  "?",
  "[",
  "]",
  "(",
  ")",
  "{",
  "}",
  ",",
  ":",
  "1",
  "1u",
  "1.5",
  "'a'",
  '"',
  "b'x'",
  "&&",
  "||",
  "!",
  "-",
  "+",
  "*",
  "/",
  "==",
  "<",
  " in ",
  "has(",
  ".all(x, ",
  ".map(x, ",
  ".exists(",
  "size(",
  "true",
  "null",
  "\n",
  "//",
  "`",
  "\\u12",
);
const sources = fc.oneof(
  fc.array(fragments, { maxLength: 14 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.tuple(fc.constantFrom(...expressions), fc.nat(), fragments).map(([text, at, part]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + part + text.slice(place + 1);
  }),
);

/** A value for every variable: evaluation must fail with its own errors only. */
const values = fc.constantFrom(null, true, 1, "text");

/** Returns the name of the error that a function throws or returns. */
function outcomeOf(attempt: () => unknown): string {
  try {
    const result = attempt();
    return result instanceof Error ? result.name : "compiled";
  } catch (error) {
    return error instanceof Error ? error.name : "no error";
  }
}

describe("compile()", () => {
  it("throws only CelSyntaxError", () => {
    fc.assert(
      fc.property(sources, (source) => {
        expect(["compiled", "CelSyntaxError", "EvalError"]).toContain(outcomeOf(() => compile(source, env)));
      }),
      { numRuns: 3000 },
    );
  });

  it("returns programs that result in a value or an error", () => {
    fc.assert(
      fc.property(sources, values, (source, value) => {
        const evaluate = (): Error | undefined =>
          compile(source, env).program.evaluate(() => value, 100_000).error;
        expect(["compiled", "CelSyntaxError", "EvalError", "CostLimitError"]).toContain(outcomeOf(evaluate));
      }),
      { numRuns: 2000 },
    );
  });

  it("rejects expressions that are nested too deeply instead of overflowing the stack", () => {
    for (const source of [
      "(".repeat(5000),
      "[".repeat(5000),
      "!".repeat(5000),
      `x${".a".repeat(5000)}`,
      `x${"+x".repeat(5000)}`,
      "-(".repeat(3000),
    ]) {
      expect(() => parse(source)).toThrow(CelSyntaxError);
    }
  });

  it("accepts a thousand alternatives", () => {
    const source = Array.from({ length: 1000 }, (_, index) => `x == ${index}`).join(" || ");
    expect(compile(source, env).program.evaluate(() => 999)).toMatchObject({ value: true });
  });
});

describe("compileRules()", () => {
  it("limits the cost of one expression, and of all expressions together", () => {
    const numbers = Array.from({ length: 1000 }, (_, index) => index);
    const rules = compileRules({
      type: "object",
      properties: {
        n: {
          type: "array",
          items: { type: "integer" },
          "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a + b >= 0))" }],
        },
      },
    })!;
    const [error] = rules.validate({ n: numbers });
    expect(error?.body).toContain("operation cancelled: actual cost limit exceeded");
    const [overdrawn] = rules.validate({ n: numbers.slice(0, 100) }, { budget: 1000 });
    expect(overdrawn?.body).toContain("validation failed due to running out of cost budget");
  });

  it("matches patterns in linear time", () => {
    const rules = compileRules({
      type: "object",
      properties: {
        t: { type: "string", "x-kubernetes-validations": [{ rule: "self.matches('^(a+)+$')" }] },
      },
    })!;
    expect(rules.validate({ t: `${"a".repeat(3000)}!` })).toHaveLength(1);
  });
});

describe("compileValidator()", () => {
  it("validates schema and rules in one call, without a server", () => {
    const validator = compileValidator({
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["replicas"],
          properties: {
            replicas: { type: "integer", minimum: 1 },
            version: { type: "string", enum: ["8.0", "8.4"] },
          },
          "x-kubernetes-validations": [{ rule: "self.replicas % 2 == 1", message: "must be odd" }],
        },
      },
    });
    const errors = (spec: object): string[] =>
      validator.validate({ spec }).map(({ field, body }) => `${field}: ${body}`);
    expect(errors({ replicas: 3, version: "8.4" })).toEqual([]);
    expect(errors({ replicas: 2 })).toEqual(["spec: Invalid value: must be odd"]);
    expect(errors({ replicas: 0 })).toEqual([
      "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1",
      "spec: Invalid value: must be odd",
    ]);
  });

  it("validates a status with its part of the schema and the rules of the whole", () => {
    const count: JSONSchema = { type: "object", properties: { n: { type: "integer" } } };
    const validator = compileValidator({
      type: "object",
      properties: {
        spec: { ...count, required: ["m"] },
        status: { ...count, "x-kubernetes-validations": [{ rule: "self.n >= oldSelf.n" }] },
      },
      "x-kubernetes-validations": [{ rule: "self.status.n <= self.spec.n" }],
    });
    const validate = (n: unknown) =>
      validator.validateStatus({ spec: { n: 1 }, status: { n } }, { spec: { n: 1 }, status: { n: 3 } });
    expect(validate(2).map(({ body }) => body)).toEqual([
      "Invalid value: failed rule: self.status.n <= self.spec.n",
      "Invalid value: failed rule: self.n >= oldSelf.n",
    ]);
    expect(validate("x").map(({ field }) => field)).toEqual(["status.n", "<nil>"]);
  });
});

describe("checkSchema()", () => {
  it("reports the path of an invalid rule", () => {
    const schema = {
      type: "object",
      properties: { spec: { type: "object", "x-kubernetes-validations": [{ rule: "self.a > 1" }] } },
    };
    expect(checkSchema(schema).map(({ field }) => field)).toEqual([
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ]);
  });
});
