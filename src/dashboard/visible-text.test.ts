import { h, options, type VNode } from "preact";
import { expect, onTestFinished, test } from "vitest";
import { showAllCharacters } from "./visible-text.ts";

test("showAllCharacters() writes what would turn text around, in texts and titles", () => {
  onTestFinished(() => void delete options.vnode);
  showAllCharacters();
  expect(h("span", { title: "admin\u202e" }).props).toEqual({ title: "admin\\u202e" });
  // As Preact makes one of each text.
  const text = { type: null, props: "\u2066admin" } as unknown as VNode;
  options.vnode!(text);
  expect(text.props).toBe("\\u2066admin");
});
