import type { Diagnostic } from "../generators/diagnostic.ts";
import { TsbuilderError } from "../shared/errors.ts";

/** Throws all errors of the generators at once; returns their warnings. */
export function refuseFindings(findings: readonly Diagnostic[]): string[] {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const count = errors.length === 1 ? "is an error" : `are ${errors.length} errors`;
    throw new TsbuilderError(
      [`there ${count} in the project's sources`, ...errors.map(describeFinding)].join("\n\n"),
      { code: "INVALID_SOURCE", hint: "fix the sources; nothing was written", problems: errors },
    );
  }
  return findings.map((finding) => `warning: ${describeFinding(finding)}`);
}

function describeFinding({ message, hint, at, frame }: Diagnostic): string {
  return [
    at ? `${at.file}:${at.line}:${at.column}: ${message}` : message,
    ...(frame === undefined ? [] : [frame]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join("\n");
}
