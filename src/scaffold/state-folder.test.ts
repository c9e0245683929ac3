import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStateFolder } from "./apply.ts";

test.each([undefined, "", "!dev/kubeconfig\n"])(
  "over the .gitignore %j of a clone, git ignores all but records",
  (text) => {
    const root = mkdtempSync(join(tmpdir(), "state-folder-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, ".tsbuilder"));
    const file = join(root, ".tsbuilder/.gitignore");
    if (text !== undefined) writeFileSync(file, text);
    openStateFolder(root, "dev");
    expect(readFileSync(file, "utf8")).toMatch(/\n\*\n!owned\.json\n!plugins\.json\n$/u);
  },
);
