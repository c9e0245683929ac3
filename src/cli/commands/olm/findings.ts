import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { TsbuilderError } from "../../../shared/errors.ts";
import type { RuleFinding } from "../../../olm/rule-finding.ts";
import { isInside } from "../../../shared/files.ts";
import { count } from "../../../shared/text.ts";
import type { Ui } from "../../reporting/report.ts";

/** Throws if a bundle is not the folder that was written on the command line. */
export function requireBundle(folder: string, written: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new TsbuilderError(`"${written}" is not a folder`, {
    code: "NOT_FOUND",
    hint: "name the folder of a bundle, with manifests/ and metadata/ in it; for an image, copy its files into a folder first",
  });
}

/** Throws if a bundle or a catalog breaks a rule whose findings are errors. */
export function refuseRules(what: string, findings: readonly RuleFinding[]): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return;
  const lines = errors.map(
    ({ rule, message, position: { file, line, column } }) =>
      `${file}:${line}:${column}: ${message} (${rule})`,
  );
  throw new TsbuilderError([what, ...lines].join("\n"), {
    code: "INVALID_SOURCE",
    hint: errors[0]!.hint,
    problems: errors.map(({ message, hint, position }) => ({ message, hint, at: position })),
  });
}

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
