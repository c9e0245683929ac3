import type { RuleFinding } from "../olm/rule-finding.ts";
import { TsbuilderError } from "../shared/errors.ts";

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
