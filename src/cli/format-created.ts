import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Draft } from "../scaffold/tree.ts";

/** The width that a new project's formatter is set to. */
const LINE_WIDTH = 100;
const FORMATTER = "node_modules/@biomejs/biome/bin/biome";

/**
 * Formats what is created as the project does, where its formatter is installed. Templates are formatted as they are;
 * only a long name can make a line of theirs too long, so most files never see the formatter.
 */
export function formatCreated(root: string, draft: Draft): void {
  if (!existsSync(join(root, FORMATTER))) return;
  for (const { path, action, content, ownership } of draft.changes()) {
    if (action !== "create" || ownership === "generated" || typeof content !== "string") continue;
    if (path.endsWith(".ts") && hasLongLine(content))
      draft.write(path, format(root, path, content), ownership);
  }
}

/** Comments stay as long as they are, and so does an import of one name. */
function hasLongLine(text: string): boolean {
  return text
    .split("\n")
    .some((line) => line.length > LINE_WIDTH && !/^\s*(?:\/\/|\*|\/\*)|^import \{ [^,]* \} from/u.test(line));
}

/** A formatter that refuses the file, or fails, is no reason to write none. */
function format(root: string, path: string, content: string): string {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, FORMATTER), "format", `--stdin-file-path=${path}`],
    { cwd: root, input: content, encoding: "utf8" },
  );
  return status === 0 && stdout !== "" ? stdout : content;
}
