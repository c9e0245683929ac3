import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Draft } from "./tree.ts";

/**
 * Formats new files with the project's formatter, if one is installed. The templates are formatted already, and only a
 * long name can make a line too long, so most files need no formatter. If the plan is only shown, no program of the
 * project runs, and the returned notes name the unformatted files.
 */
export function formatCreated(root: string, draft: Draft, { isShown }: { isShown: boolean }): string[] {
  const formatter = formatters.find(({ program }) => existsSync(join(root, program)));
  if (formatter === undefined) return [];
  const notes: string[] = [];
  for (const { path, action, content, ownership } of draft.changes()) {
    if (action !== "create" || ownership === "generated" || typeof content !== "string") continue;
    if (!path.endsWith(".ts") || !hasLongLine(content)) continue;
    if (isShown) notes.push(`"${path}" will be formatted when it is written`);
    else draft.write(path, format(root, formatter, path, content), ownership);
  }
  return notes;
}

/** A formatter that a project may have, as an npm package. */
interface Formatter {
  readonly program: string;
  readonly args: (path: string) => readonly string[];
}

/** Formatters of projects, also of older versions: both sides of an upgrade are formatted alike, to be compared. */
const formatters: readonly Formatter[] = [
  { program: "node_modules/oxfmt/bin/oxfmt", args: (path) => [`--stdin-filepath=${path}`] },
  {
    program: "node_modules/@biomejs/biome/bin/biome",
    args: (path) => ["format", `--stdin-file-path=${path}`],
  },
];

/** The line width of a new project's formatter. */
const lineWidth = 100;

/** Returns whether a line is too long. The formatter keeps long comments, and imports of a single name. */
function hasLongLine(text: string): boolean {
  return text
    .split("\n")
    .some((line) => line.length > lineWidth && !/^\s*(?:\/\/|\*|\/\*)|^import \{ [^,]* \} from/u.test(line));
}

/** Formats a text; returns it unchanged if the formatter fails. */
function format(root: string, { program, args }: Formatter, path: string, content: string): string {
  const { status, stdout } = spawnSync(process.execPath, [join(root, program), ...args(path)], {
    cwd: root,
    input: content,
    encoding: "utf8",
  });
  return status === 0 && stdout !== "" ? stdout : content;
}
