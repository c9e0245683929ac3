import { expect, test } from "vitest";
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
