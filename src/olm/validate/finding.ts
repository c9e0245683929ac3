import type { Position } from "../../shared/errors.ts";
import type { RuleFinding } from "../rule-finding.ts";
import { rules, type RuleName } from "./rules.ts";

/** A rule that a bundle breaks, and where. */
export type BundleFinding = RuleFinding<RuleName>;

export type Findings = Iterable<BundleFinding>;

/** Anything with a position, such as a `Located` value. */
interface Place {
  readonly at: Position;
}

export function finding(rule: RuleName, { at }: Place, message: string, hint: string): BundleFinding {
  return { rule, severity: rules[rule].severity, message, hint, position: at };
}
