import type { FieldError } from "../../errors/index.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { crdCases } from "../testdata/crd-cases.ts";
import { ruleCases } from "../testdata/object-cases.ts";
import { checkSchema } from "./check-schema.ts";
import { compileValidator } from "./compile-rules.ts";

/** Recorded from kube-apiserver 1.36.3 by `e2e/oracle/real/recordings`. */
interface Answer {
  readonly causes?: readonly { reason: string; message: string; field: string }[];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../testdata/${name}.json`, import.meta.url), "utf8"));
}

const crdAnswers = read("crd-answers") as Record<string, Answer>;
const objectAnswers = read("object-answers") as Record<string, Answer[]>;

/** The API server iterates over maps in random order. */
function sorted(texts: readonly string[]): string[] {
  return texts.toSorted();
}

function expected({ causes = [] }: Answer): string[] {
  return sorted(causes.map(({ reason, message, field }) => `${field} ${reason} ${message}`));
}

function actual(errors: readonly FieldError[]): string[] {
  return sorted(errors.map(({ reason, body, field }) => `${field} ${reason} ${body}`));
}

describe("checkSchema() agrees with a real API server", () => {
  for (const { name, spec, root, hasStatus = false } of crdCases) {
    it(`on the CRD ${name}`, () => {
      const schema = root ?? { type: "object", properties: { spec: spec! } };
      const errors = checkSchema(schema, { path: "spec.validation.openAPIV3Schema", hasStatus });
      expect(actual(errors)).toEqual(expected(crdAnswers[name]!));
    });
  }
});

describe("compileValidator() agrees with a real API server", () => {
  const object = (spec: unknown): object => ({
    apiVersion: "recorded.tsbuilder.test/v1",
    kind: "Rule",
    metadata: { name: "x" },
    spec,
  });
  for (const { name, spec, writes } of ruleCases) {
    it(`on ${name}`, () => {
      const validator = compileValidator({ type: "object", properties: { spec } });
      writes.forEach(({ before, after }, index) => {
        const given = validator.applyDefaults(object(after));
        const errors = validator.validate(given, before === undefined ? {} : { old: object(before) });
        expect({ after, errors: actual(errors) }).toEqual({
          after,
          errors: expected(objectAnswers[name]![index]!),
        });
      });
    });
  }
});
