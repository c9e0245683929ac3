import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeLicenses } from "./third-party-licenses.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-licenses-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function add(root: string, manifest: object, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries({ "package.json": JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, root, name)), { recursive: true });
    writeFileSync(join(folder, root, name), content);
  }
}

test("names each package once, with its license and notice, equal texts once", () => {
  add("node_modules/one", { name: "one", version: "1.0.0", license: "MIT" }, { LICENSE: "MIT text\n" });
  add("node_modules/@a/two", { name: "@a/two", version: "2.0.0", license: "MIT" }, { license: "MIT text" });
  add(
    "node_modules/one/node_modules/three",
    { name: "three", version: "3.0.0", license: { type: "Apache-2.0" } },
    { "LICENSE.md": "Apache text", "NOTICE.txt": "A notice" },
  );
  add("node_modules/four", { name: "four", version: "4.0.0" }, {});
  const text = describeLicenses(folder, [
    "src/main.ts",
    "node_modules/one/index.js",
    "node_modules/one/lib/more.js",
    "node_modules/@a/two/dist/index.js",
    "node_modules/one/node_modules/three/index.js",
    "node_modules/four/index.js",
  ]);
  const [head, ...sections] = text.split(`\n${"-".repeat(80)}\n`);
  expect(head).toContain("contains code of the packages below");
  expect(sections).toEqual([
    "@a/two 2.0.0 (MIT)\none 1.0.0 (MIT)\n\nMIT text\n",
    "four 4.0.0 (no license given)\n\nThe package has no license file.\n",
    "three 3.0.0 (Apache-2.0)\n\nApache text\n\nA notice\n",
  ]);
});

test("finds packages above the folder, as in a workspace", () => {
  add("node_modules/one", { name: "one", version: "1.0.0", license: "MIT" }, { LICENSE: "MIT text" });
  const text = describeLicenses(join(folder, "operators/mysql"), ["../../node_modules/one/index.js"]);
  expect(text).toContain("one 1.0.0 (MIT)\n\nMIT text");
});

test.each<[string, object, Readonly<Record<string, string>>, string]>([
  ["a folder of licenses", {}, { "LICENSES/MIT.txt": "MIT", "LICENSES/BSD.txt": "BSD" }, "BSD\n\nMIT"],
  ["a folder that is named license", {}, { "license/MIT": "MIT" }, "MIT"],
  ["code with such a name", {}, { "license.js": "code", "licenses.json": "{}", LICENSE: "MIT" }, "MIT"],
  ["code in such a folder", {}, { "license/index.js": "code", "license/MIT": "MIT" }, "MIT"],
  ["source maps", {}, { "license.js.map": "{}", COPYING3: "GPL" }, "GPL"],
  ["a suffix", {}, { LICENSE_MIT: "MIT", "license-apache": "Apache" }, "MIT\n\nApache"],
  ["a prefix of several parts", {}, { "BSD-3-Clause-LICENSE": "BSD" }, "BSD"],
  ["words in one", {}, { "ThirdPartyNotices.txt": "others", "Licensed.md": "prose" }, "others"],
  ["a prefix", {}, { "MIT-LICENSE.txt": "MIT" }, "MIT"],
  ["no license in that sense", {}, { UNLICENSE: "free" }, "free"],
  ["a list of licenses", { licenses: [{ type: "MIT" }, { type: "BSD" }] }, { COPYING: "text" }, "text"],
  ["an empty list", { licenses: [] }, {}, "The package has no license file."],
])("reads %s", (_, manifest, files, text) => {
  add("node_modules/one", { name: "one", version: "1.0.0", ...manifest }, files);
  const [label = "", ...sections] = describeLicenses(folder, ["node_modules/one/index.js"])
    .split(`\n${"-".repeat(80)}\n`)[1]!
    .split("\n\n");
  expect(sections.join("\n\n").trim()).toBe(text);
  const given = "licenses" in manifest && files["COPYING"] !== undefined ? "MIT OR BSD" : "no license given";
  expect(label).toBe(`one 1.0.0 (${given})`);
});

test("a link to a license is followed, and one to nothing is no file", () => {
  add("node_modules/one", { name: "one", version: "1.0.0", license: "MIT" }, { "texts/mit": "MIT text" });
  symlinkSync("texts/mit", join(folder, "node_modules/one/LICENSE"));
  symlinkSync("texts/gone", join(folder, "node_modules/one/NOTICE"));
  expect(describeLicenses(folder, ["node_modules/one/index.js"])).toContain("one 1.0.0 (MIT)\n\nMIT text\n");
});

test("a folder without package.json is named by its path", () => {
  mkdirSync(join(folder, "node_modules/@a/one"), { recursive: true });
  expect(describeLicenses(folder, ["node_modules/@a/one/index.js"])).toContain("@a/one (no license given)");
});
