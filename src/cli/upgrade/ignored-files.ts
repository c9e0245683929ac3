import type { FileChange } from "../../scaffold/file-change.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { askGit } from "../git.ts";

interface Committed {
  readonly kept: readonly FileChange[];
  /** The paths of those that the repository ignores. */
  readonly ignored: readonly string[];
}

/** Leaves out what the repository ignores, unless npm could not install the project without it. */
export function withoutIgnored(root: string, changes: readonly FileChange[]): Committed {
  const input = changes.map(({ path }) => `${path}\0`).join("");
  const found = new Set(askGit(root, ["check-ignore", "--stdin", "-z"], { input })?.split("\0"));
  const ignored = changes.filter(({ path }) => found.has(path));
  const needed = ignored.find(({ path, content }) => path.startsWith("vendor/") && content !== undefined);
  if (needed) {
    throw new TsbuilderError(`git ignores "${needed.path}", which package.json needs`, {
      code: "REFUSED",
      hint: 'add the lines "!/vendor/" and "!/vendor/*.tgz" to the end of .gitignore, and commit them',
    });
  }
  return {
    kept: changes.filter(({ path }) => !found.has(path)),
    ignored: ignored.map(({ path }) => path),
  };
}
