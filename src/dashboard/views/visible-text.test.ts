import { expect, test } from "vitest";
import { showAllCharacters } from "./texts.ts";

test("showAllCharacters() writes what would turn text around, in texts and titles", () => {
  const element = { type: "span", props: { title: "admin\u202e" } };
  showAllCharacters(element);
  expect(element.props).toEqual({ title: "admin\\u202e" });
  // Preact makes such a node of each text.
  const text = { type: null, props: "\u2066admin" };
  showAllCharacters(text);
  expect(text.props).toBe("\\u2066admin");
});
