import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everythingBelow } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";

const ownTsbuilder = "node_modules/tsbuilder/bin/tsbuilder.js";

/** The files that the tsbuilder in the project's dependencies scaffolds for it; only that version has its templates. */
export function readBaseline(root: string): ReadonlyMap<string, string> {
  const program = join(root, ownTsbuilder);
  if (!existsSync(program)) {
    throw new TsbuilderError("the tsbuilder version that scaffolded this project is not installed", {
      code: "NOT_FOUND",
      hint: `run npm ci first: "${ownTsbuilder}" is needed to reproduce what was scaffolded`,
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-baseline-"));
  try {
    const { status, stderr } = spawnSync(process.execPath, [program, "scaffold", folder], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) {
      throw new TsbuilderError("the project's own tsbuilder failed to reproduce what it scaffolded", {
        code: "TOOL_FAILED",
        hint: stderr.trim() || `it exited with ${status}`,
      });
    }
    const tree = everythingBelow(folder);
    return new Map(tree.list("").map((path) => [path, tree.read(path)!]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
