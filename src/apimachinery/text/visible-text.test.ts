import * as fc from "fast-check";
import { expect, test } from "vitest";
import { visibleText } from "./index.ts";

test.each([
  ["\u001b]52;c;cm0gLXJm\u0007", "\\u001b]52;c;cm0gLXJm\\u0007"],
  ["\u009b31m", "\\u009b31m"],
  ["a\rb\r\nc", "a\\u000db\r\nc"],
  ["admin\u202e\u2066 // nimda\u2069", "admin\\u202e\\u2066 // nimda\\u2069"],
  ["tab\tline\nעברית 👩‍👩‍👧 é", "tab\tline\nעברית 👩‍👩‍👧 é"],
])("visibleText() of %j", (text, visible) => {
  expect(visibleText(text)).toBe(visible);
});

test("visibleText() leaves nothing that is obeyed, and no other JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      expect(visibleText(text)).not.toMatch(/[^\P{Cc}\t\n\r]|\p{Bidi_Control}/u);
      const json = JSON.stringify([value, text], undefined, 2);
      expect(JSON.parse(visibleText(json))).toEqual(JSON.parse(json));
    }),
  );
});
