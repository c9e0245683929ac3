import type { Position } from "../../shared/errors.ts";
import { rules, type RuleName, type Severity } from "./rules.ts";

/** A rule that a bundle breaks, and where. */
export interface BundleFinding {
  readonly rule: RuleName;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly position: Position;
}

export type Findings = Iterable<BundleFinding>;

/** Anything with a position, such as a `Located` value. */
interface Place {
  readonly at: Position;
}

export function finding(rule: RuleName, { at }: Place, message: string, hint: string): BundleFinding {
  return { rule, severity: rules[rule].severity, message, hint, position: at };
}
