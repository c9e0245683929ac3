import { expect, test } from "vitest";
import { checkTag } from "./versions.ts";

const state = {
  tag: "v0.2.0",
  versions: new Map([
    ["package.json", "0.2.0"],
    ["src/runtime/package.json", "0.2.0"],
  ]),
  changelog: "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\n- New.\n\n## 0.1.0\n\n## 0.3.0\n\n- New.\n",
  tagged: "abc",
  head: "abc",
  changes: "",
};

test("a release is what is tagged, and what was not tagged yet", () => {
  expect(() => checkTag(state)).not.toThrow();
  expect(() => checkTag({ ...state, tagged: undefined })).not.toThrow();
});

test.each([
  [{ tag: "0.2.0" }, "the tag is 0.2.0, and package.json says 0.2.0"],
  [{ versions: new Map([["src/create/package.json", "0.1.0"]]) }, "src/create/package.json says 0.1.0"],
  [{ changelog: "" }, "CHANGELOG.md has no version 0.2.0"],
  [{ tag: "v0.1.0", versions: new Map() }, "CHANGELOG.md says nothing of version 0.1.0"],
  [{ tagged: "def" }, "v0.2.0 is the commit def, and abc is checked out"],
  [{ changes: "?? src/runtime/new.ts" }, "these files are not committed:\n?? src/runtime/new.ts"],
])("refuses %j", (change, message) => {
  expect(() => checkTag({ ...state, ...change })).toThrow(message);
});
