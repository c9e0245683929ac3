import { compareText } from "../text/index.ts";
import type { FieldError } from "../errors/index.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./index.ts";
import { cases } from "./testdata/cases.ts";

interface Recorded {
  readonly status: number;
  readonly warnings: readonly string[];
  readonly spec?: unknown;
  readonly causes?: readonly { reason: string; message: string; field: string }[];
}

/** Recorded from kube-apiserver 1.36.3 by `e2e/oracle/real/recordings`. */
const recorded = JSON.parse(
  readFileSync(new URL("testdata/recorded.json", import.meta.url), "utf8"),
) as Record<string, { creates: Recorded[]; updates: Recorded[] }>;

describe("compileSchema() agrees with a real API server", () => {
  for (const { name, spec, creates = [], updates = [] } of cases) {
    it(`on ${name}`, () => {
      const compiled = compileSchema({ type: "object", properties: { spec } });
      const answers = recorded[name]!;
      creates.forEach((value, index) => {
        const given = value === undefined ? {} : { spec: value };
        expect({ given, ...answer(given) }).toEqual({ given, ...expected(answers.creates[index]!) });
      });
      updates.forEach(({ before, after }, index) => {
        const errors = compiled.validate({ spec: after }, { old: { spec: before } });
        expect({ after, causes: causes(errors) }).toEqual({
          after,
          causes: expected(answers.updates[index]!)["causes"],
        });
      });

      function answer(object: object): object {
        const { object: pruned, unknown } = compiled.prune(object);
        const defaulted = compiled.applyDefaults(pruned) as { spec?: unknown };
        const errors = compiled.validate(defaulted);
        const warnings = unknown.map((field) => `unknown field "${field}"`);
        if (errors.length > 0) return { warnings, causes: causes(errors) };
        return { warnings, causes: [], spec: defaulted.spec ?? null };
      }
    });
  }
});

function expected({ warnings, causes: reported = [], spec, status }: Recorded): Record<string, unknown> {
  // The API server iterates over maps in random order.
  const sorted = reported.toSorted(byText);
  return status < 300 ? { warnings, causes: [], spec } : { warnings, causes: sorted };
}

function causes(errors: readonly FieldError[]): object[] {
  return errors.map(({ reason, body, field }) => ({ reason, message: body, field })).toSorted(byText);
}

function byText(a: { field: string; message: string }, b: { field: string; message: string }): number {
  const [first, second] = [a.field + a.message, b.field + b.message];
  return compareText(first, second);
}
