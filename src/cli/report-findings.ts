import { join, relative } from "node:path";
import type { RuleFinding } from "../olm/rule-finding.ts";
import { isInside } from "../shared/is-inside.ts";
import { count } from "../shared/text.ts";
import type { Ui } from "./ui.ts";

/** Prints what is wrong with a bundle or a catalog below `root`. Returns the exit code: 1 if there is an error. */
export function reportFindings(
  what: string,
  findings: readonly RuleFinding[],
  { root, cwd, ui }: { readonly root: string; readonly cwd: string; readonly ui: Ui },
): number {
  const problems = findings.map((finding) => ({
    ...finding,
    position: { ...finding.position, file: shownPath(cwd, join(root, finding.position.file)) },
  }));
  ui.add?.({ problems });
  for (const problem of problems) ui.print(describe(problem));
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const counts = `${count(errors, "error")}, ${count(problems.length - errors, "warning")}`;
  ui.print(`The ${what} is ${errors === 0 ? "valid" : "not valid"}: ${counts}`);
  return errors === 0 ? 0 : 1;
}

function shownPath(cwd: string, file: string): string {
  return isInside(cwd, file) ? relative(cwd, file).replaceAll("\\", "/") : file;
}

function describe({ rule, severity, message, hint, position: { file, line, column } }: RuleFinding): string {
  return `${file}:${line}:${column}: ${severity}: ${message} (${rule})\n    ${hint}`;
}
