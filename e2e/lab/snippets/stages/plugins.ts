import type { Stages } from "./stage.ts";

const check = `
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
`;

export const pluginStages: Stages = {
  "A page that says which team owns the project": {
    before: check,
    after: `
const project = { projectName: "shop" } as Parameters<NonNullable<typeof plugin.init>>[0]["project"];
const { files = [] } = (await plugin.init?.({ project, options: { team: "storage" }, boilerplate: "" })) ?? {};
assert.deepEqual(files, [{ path: "docs/team.md", content: "# shop\\n\\nOwned by storage.\\n" }]);
`,
  },
  "export async function start(root": {
    before: check,
    after: `
const root = mkdtempSync(join(tmpdir(), "own-cli-"));
assert.deepEqual(await start(root), []);
assert.equal(readFileSync(join(root, "docs/intro.md"), "utf8"), "# Introduction\\n");
assert.deepEqual(await start(root), []);
assert.equal(existsSync(join(root, ".tsbuilder/stage")), false);
`,
  },
};
