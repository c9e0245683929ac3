import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { TsbuilderError } from "../../../shared/errors.ts";
import type { RuleFinding } from "../../../olm/rule-finding.ts";
import { isInside } from "../../../shared/files.ts";
import { count } from "../../../shared/text.ts";
import type { Ui } from "../../reporting/report.ts";

/** Throws if the folder of a bundle, as it was `written` on the command line, does not exist. */
export function requireBundle(folder: string, written: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TsbuilderError(`"${written}" is not a folder`, {
    code: "NOT_FOUND",
    hint: "name the folder of a bundle, with manifests/ and metadata/ in it; for an image, copy its files into a folder first",
  });
}

/** Throws an error with this `summary` if there are findings of severity `error`; warnings don't count. */
export function refuseErrors(summary: string, findings: readonly RuleFinding[]): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.map(
    ({ rule, message, position: { file, line, column } }) =>
      `${file}:${line}:${column}: ${message} (${rule})`,
  );
  throw new TsbuilderError([summary, ...lines].join("\n"), {
    code: "INVALID_SOURCE",
    hint: errors[0]!.hint,
    problems: errors.map(({ message, hint, position }) => ({ message, hint, at: position })),
  });
}

/** Prints the findings about a bundle or a catalog below `root`. Returns the exit code: 1 if there is an error. */
export function reportFindings(
  subject: "bundle" | "catalog",
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
  ui.print(`The ${subject} is ${errors === 0 ? "valid" : "not valid"}: ${counts}`);
  return errors === 0 ? 0 : 1;
}

function shownPath(cwd: string, file: string): string {
  return isInside(cwd, file) ? relative(cwd, file).replaceAll("\\", "/") : file;
}

function describe({ rule, severity, message, hint, position: { file, line, column } }: RuleFinding): string {
  return `${file}:${line}:${column}: ${severity}: ${message} (${rule})\n    ${hint}`;
}
