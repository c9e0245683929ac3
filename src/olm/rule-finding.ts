import { compareText } from "@tsbuilder/apimachinery/text";
import type { Position } from "../shared/errors.ts";

/** An error keeps a file from doing what it is meant to do; a warning does not. */
export type Severity = "error" | "warning";

/** A rule that a bundle or a catalog breaks, and where. */
export interface RuleFinding<Rule extends string = string> {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly position: Position;
}

/** By file, line and column. */
export function sortFindings<Finding extends RuleFinding>(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    ({ position: a }, { position: b }) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}
