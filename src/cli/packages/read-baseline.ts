import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isReleased } from "../../packaging/own-package.ts";
import { requireAllowed } from "../../plugins/contributed/load-plugin.ts";
import { packageManagerOf } from "../../project/package-manager.ts";
import { everythingBelow } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readJsonObject } from "../../shared/read-json.ts";

const ownPackage = "node_modules/tsbuilder";
const ownTsbuilder = `${ownPackage}/bin/tsbuilder.js`;

/**
 * Returns the files that the tsbuilder in the project's dependencies scaffolds for it. Only the version that scaffolded
 * the project has its templates. Throws if that version is not installed, and if the upgrade is only shown while the user
 * has not allowed its code to run.
 */
export function readBaseline(
  root: string,
  version: string,
  { isShown = false } = {},
): ReadonlyMap<string, string> {
  const program = join(root, ownTsbuilder);
  const { installLocked } = packageManagerOf(root);
  if (!existsSync(program)) {
    throw new TsbuilderError("the tsbuilder version that scaffolded this project is not installed", {
      code: "NOT_FOUND",
      hint: `run ${installLocked} first: "${ownTsbuilder}" is needed to reproduce what was scaffolded`,
    });
  }
  const manifest = readJsonObject(
    `${ownPackage}/package.json`,
    readFileSync(join(root, ownPackage, "package.json"), "utf8"),
    `install the packages again: ${installLocked}`,
  );
  const { version: installed } = manifest;
  // Packed in its repository, a tsbuilder has a version with a hash; run from there, it has none.
  if (installed !== version && !String(installed).startsWith(`${version}-dev.`)) {
    throw new TsbuilderError(
      `the project was scaffolded by tsbuilder ${version}, but ${String(installed)} is installed`,
      {
        code: "NOT_FOUND",
        hint: hintToRestore(root, version, {
          installed: String(installed),
          isPublished: isReleased(manifest),
        }),
      },
    );
  }
  if (isShown)
    requireAllowed("tsbuilder", { name: "tsbuilder", folder: realpathSync(join(root, ownPackage)) });
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

/** Returns a hint how to get the version back that scaffolded the project; from a registry only if it is published. */
function hintToRestore(
  root: string,
  version: string,
  { installed, isPublished }: { readonly installed: string; readonly isPublished: boolean },
): string {
  const { installLocked, addForDevelopment } = packageManagerOf(root);
  const upgrade = `npx tsbuilder@${installed} upgrade`;
  if (isPublished && !version.includes("-dev."))
    return `${addForDevelopment} tsbuilder@${version}, and then upgrade by the newer one: ${upgrade}`;
  const vendored = `run ${installLocked}; if package.json names another version, restore "vendor/" and what it says of tsbuilder ${version} from version control`;
  return `${vendored}: the upgrade brings the newer ones itself${isPublished ? `, by ${upgrade}` : ""}`;
}
