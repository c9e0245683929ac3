import { compareText } from "@tsbuilder/apimachinery/text";
import type { Position } from "../shared/errors.ts";

/** With an error, OLM would refuse the file, or not do what it says. A warning is advice. */
export type Severity = "error" | "warning";

/** A broken rule of a bundle or a catalog, with its position. */
export interface RuleFinding<Rule extends string = string> {
  readonly rule: Rule;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly position: Position;
}

/** Sorts findings by file, line and column. */
export function sortFindings<Finding extends RuleFinding>(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    ({ position: a }, { position: b }) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}
