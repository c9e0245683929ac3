import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Draft } from "../scaffold/tree.ts";

/** The line width of a new project's formatter. */
const lineWidth = 100;
const formatter = "node_modules/oxfmt/bin/oxfmt";

/**
 * Formats new files with the project's formatter, if it is installed. The templates are formatted already; only a long
 * name can make a line too long, so most files need no formatter.
 */
export function formatCreated(root: string, draft: Draft): void {
  if (!existsSync(join(root, formatter))) return;
  for (const { path, action, content, ownership } of draft.changes()) {
    if (action !== "create" || ownership === "generated" || typeof content !== "string") continue;
    if (path.endsWith(".ts") && hasLongLine(content))
      draft.write(path, format(root, path, content), ownership);
  }
}

/** The formatter keeps comments as they are, and imports of a single name. */
function hasLongLine(text: string): boolean {
  return text
    .split("\n")
    .some((line) => line.length > lineWidth && !/^\s*(?:\/\/|\*|\/\*)|^import \{ [^,]* \} from/u.test(line));
}

/** If the formatter fails, the file is written unformatted. */
function format(root: string, path: string, content: string): string {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, formatter), `--stdin-filepath=${path}`],
    { cwd: root, input: content, encoding: "utf8" },
  );
  return status === 0 && stdout !== "" ? stdout : content;
}
