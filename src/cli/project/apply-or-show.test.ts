import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { applyOrShow } from "./open-project.ts";

const folder = useProjectFolder();

test("a write that fails lists nothing as written", () => {
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(text),
    note: () => undefined,
    isInteractive: false,
  };
  writeFileSync(join(folder.root, "two"), "saved by the user in the meantime");
  const create = { action: "create", content: "ours", before: undefined, ownership: "yours" } as const;
  const plan = {
    changes: [
      { path: "one", ...create },
      { path: "two", ...create },
    ],
    notes: [],
  };
  expect(() => applyOrShow(folder.root, plan, { "dry-run": false, diff: false }, ui)).toThrow(
    '"two" changed',
  );
  expect(printed).toEqual([]);
});

test("--diff shows the project's files, and none of tsbuilder's records", async () => {
  await folder.initialize();
  const shown = await folder.call("create api --group apps --version v1 --kind Order --diff");
  expect(shown).toContain("+++ b/api/v1/order_types.ts");
  expect(shown).not.toContain(".tsbuilder/");
});
