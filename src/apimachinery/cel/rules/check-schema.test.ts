import { expect, test } from "vitest";
import type { JSONSchema } from "../../schema/json-schema.ts";
import { checkSchema } from "./check-schema.ts";

test("checkSchema() requires the text of a rule", () => {
  const [error, ...more] = checkSchema(
    { type: "object", "x-kubernetes-validations": [{ message: "no" }] },
    {},
  );
  expect(error).toMatchObject({
    field: expect.stringContaining("x-kubernetes-validations[0].rule") as string,
  });
  expect(more).toEqual([]);
});

test.each(["allOf", "anyOf", "oneOf"])("checkSchema() takes %s: null as an absent list", (name) => {
  const schema = { type: "object", [name]: null } as JSONSchema;
  expect([...checkSchema({ type: "object", properties: { spec: schema } }, {})]).toEqual([]);
});
