import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { followRoute } from "../../book/follow-route.ts";
import { routes, tutorial } from "../../book/written-routes.ts";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "tsbuilder-book-"));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

test.each(routes.filter((route) => route !== tutorial))(
  "who does what the pages of $name (from $follow) say sees what they show, and ends in a project",
  async (route) => {
    const { folder } = await followRoute(route, parent);
    expect(existsSync(join(folder, "PROJECT"))).toBe(true);
  },
);
