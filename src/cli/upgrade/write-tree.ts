import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { git } from "../git.ts";

/** A file of a tree; without content, it is deleted. */
export interface TreeFile {
  readonly path: string;
  readonly content: string | Uint8Array | undefined;
}

/**
 * Stores files of a project as a tree of git, on top of a commit or of nothing, and returns its id. Neither the files on
 * disk nor the index of the user's change.
 */
export function writeTree(root: string, onto: string | undefined, files: readonly TreeFile[]): string {
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-tree-"));
  try {
    const prefix = git(root, ["rev-parse", "--show-prefix"]);
    const folder = join(work, "files", prefix);
    mkdirSync(folder, { recursive: true });
    const env = {
      GIT_DIR: git(root, ["rev-parse", "--absolute-git-dir"]),
      GIT_WORK_TREE: join(work, "files"),
      GIT_INDEX_FILE: join(work, "index"),
    };
    git(folder, ["read-tree", ...(onto === undefined ? ["--empty"] : [onto])], { env });
    for (const { path, content } of files) if (content !== undefined) write(root, folder, path, content);
    git(folder, ["update-index", "--add", "--remove", "-z", "--stdin"], {
      env,
      input: files.map(({ path }) => `${path}\0`).join(""),
    });
    return git(folder, ["write-tree"], { env });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A file stays executable. */
function write(root: string, folder: string, path: string, content: string | Uint8Array): void {
  const old = join(root, path);
  const mode = existsSync(old) ? statSync(old).mode : path.endsWith(".sh") ? 0o755 : 0o644;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content, { mode });
}
