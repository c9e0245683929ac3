import { expect, test } from "vitest";
import { prefersYAML, readAccept } from "./request-context.ts";

test("clauses come in the order of their quality, those of one quality as the client wrote them", () => {
  const clauses = readAccept("application/yaml;q=0.5, text/html, application/json;as=Table, */*");
  expect(clauses.map(({ yaml, options }) => [yaml, options.get("as")])).toEqual([
    [false, "Table"],
    [false, undefined],
    [true, undefined],
  ]);
});

test.each([
  ["application/yaml", true],
  ["application/yaml, application/json", true],
  ["application/yaml;q=0.1, application/json", false],
  ["application/yaml;as=Table;v=v1;g=meta.k8s.io, application/json", false],
  ["text/html", false],
  [undefined, false],
])("errors for %s are YAML: %s", (accept, isYAML) => {
  expect(prefersYAML(accept)).toBe(isYAML);
});
