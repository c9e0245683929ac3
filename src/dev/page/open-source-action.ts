import { spawn } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { basename, sep } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import { ActionInput, type PageAction } from "./page-action.ts";

type Arguments = (file: string, line: string, column: string) => readonly string[];

/** How editors with windows are told a place. Those of a terminal have none to open. */
const byLine: Arguments = (file, line, column) => ["--line", line, "--column", column, file];
const byGoto: Arguments = (file, line, column) => ["--goto", `${file}:${line}:${column}`];
const byPath: Arguments = (file, line, column) => [`${file}:${line}:${column}`];
const editors = new Map([
  ...["code", "code-insiders", "codium", "cursor", "windsurf"].map((name) => [name, byGoto] as const),
  ...["idea", "webstorm"].map((name) => [name, byLine] as const),
  ...["subl", "zed"].map((name) => [name, byPath] as const),
]);

/** Returns the action that opens a place in the project's sources, such as `/project/src/a.ts:40:5`, in the user's editor. */
export function openSourceAction(root: string, env: NodeJS.ProcessEnv): PageAction {
  return async (input) => {
    const source = new ActionInput(input).text("source");
    const [, path = "", line = "1", column = "1"] = /^(.+?):(\d+):(\d+)$/u.exec(source) ?? [];
    const [program, ...flags] = editorOf(env);
    const args = editors.get(basename(program)) ?? byPath;
    await start(program, [...flags, ...args(ownFile(root, path), line, column)]);
    return {};
  };
}

/** Returns the real path of a file of the project: a page must not open others. */
function ownFile(root: string, path: string): string {
  try {
    const real = realpathSync(path);
    if (real.startsWith(root + sep) && statSync(real).isFile()) return real;
  } catch {
    // It was deleted or renamed since.
  }
  throw new TsbuilderError(`${path} is no file of this project`, {
    code: "NOT_FOUND",
    hint: "a record of another machine has the places of that machine",
  });
}

/** Returns the command of the editor: TSBUILDER_EDITOR, or the first of VISUAL and EDITOR that has windows, or that of this terminal. */
function editorOf(env: NodeJS.ProcessEnv): [string, ...string[]] {
  const { TSBUILDER_EDITOR, VISUAL, EDITOR, TERM_PROGRAM } = env;
  const words = [TSBUILDER_EDITOR, VISUAL, EDITOR].map((text = "") => text.split(/\s+/u).filter(Boolean));
  const found = words.find(
    ([name], index) => name !== undefined && (index === 0 || editors.has(basename(name))),
  );
  if (found) return found as [string, ...string[]];
  if (TERM_PROGRAM === "vscode") return ["code"];
  throw new TsbuilderError("no editor is known", {
    code: "REFUSED",
    hint: "start tsbuilder dev with the command of your editor in TSBUILDER_EDITOR, such as TSBUILDER_EDITOR=code",
  });
}

function start(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.once("error", (error) =>
      reject(
        new TsbuilderError(`${program} can't be started: ${error.message}`, {
          code: "REFUSED",
          hint: "set TSBUILDER_EDITOR to a command that is on the PATH",
        }),
      ),
    );
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });
}
