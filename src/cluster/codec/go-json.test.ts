import { expect, test } from "vitest";
import { explainJSON } from "./go-json.ts";

test.each([
  [String.raw`{"a": "\u0[41"}`, String.raw`invalid character '[' in \u hexadecimal character escape`],
  [String.raw`"\u12"`, String.raw`invalid character '"' in \u hexadecimal character escape`],
  [String.raw`"\u12`, "unexpected end of JSON input"],
  [`[-e3]`, "invalid character 'e' in numeric literal"],
  [String.raw`"\u00e9 \x"`, "invalid character 'x' in string escape code"],
])("%s: %s", (text, explanation) => {
  expect(explainJSON(text)).toBe(explanation);
});
