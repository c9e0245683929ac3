import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testPage } from "../../testdata/test-page.ts";
import { markerFamilies } from "./index.ts";

const folder = import.meta.dirname;

describe("the families of markers", () => {
  it("lists every file of the folder", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const expected = ["index", ...markerFamilies.map(({ name }) => name)];
    expect(files.map((file) => file.replace(".ts", "")).sort()).toEqual(expected.sort());
  });

  it.each(markerFamilies.map((family) => [family.name, family] as const))(
    "%s has a page that explains each of its markers",
    (name, family) => {
      const page = join(folder, `${name}.md`);
      expect(existsSync(page)).toBe(true);
      const text = readFileSync(page, "utf8");
      expect(text).toMatch(`# ${family.title}\n`);
      const headings = [...text.matchAll(/^## `\+(.+)`$/gmu)].map(([, heading]) => heading);
      expect(headings).toEqual(family.markers.map((marker) => marker.name));
    },
  );
});

const kinds: Readonly<Record<string, string>> = { rbac: "role", webhooks: "webhook" };

describe.each(markerFamilies.map(({ name }) => name))("the page of %s:", (name) => {
  testPage(join(folder, `${name}.md`), kinds[name]);
});
