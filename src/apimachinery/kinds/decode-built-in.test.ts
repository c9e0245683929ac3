import { expect, test } from "vitest";
import { decodeBuiltIn } from "./decode-built-in.ts";
import { loadSchemas } from "./load-schemas.ts";

test("decodeBuiltIn() drops an empty list, but not as a value of any type", async () => {
  const table = (await loadSchemas("apiextensions/v1"))!;
  const schema = { type: "array", default: [], required: [] };
  expect(decodeBuiltIn(schema, table.get("JSONSchemaProps")!).object).toEqual({ type: "array", default: [] });
});
