import { quote } from "../../text/index.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { messageLimit, perCallLimit } from "./limits.ts";
import { CostLimitError } from "../values/eval-error.ts";
import type { Value } from "../values/value.ts";

/** The message of a violated rule, and the cost of its evaluation. */
export interface Message {
  readonly detail: string;
  readonly cost: number;
  /** The error that ends the validation. */
  readonly fatal?: string;
}

/** Returns the message of a violated rule; if its messageExpression fails, the plain message. */
export function evaluateMessage(
  { rule, message }: CompiledRule,
  variables: (name: string) => Value | undefined,
  budget: number,
): Message {
  const plain = rule.message ? rule.message.trim() : `failed rule: ${rule.rule?.trim()}`;
  if (!message) return { detail: plain, cost: 0 };
  const { value, error, cost } = message.evaluate(variables, perCallLimit);
  if (cost > budget) {
    const fatal =
      "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
    return { detail: plain, cost: 0, fatal };
  }
  if (error instanceof CostLimitError) {
    const why =
      "no further validation rules will be run due to call cost exceeds limit for messageExpression";
    return { detail: plain, cost, fatal: `${why}: ${quote(rule.messageExpression ?? "")}` };
  }
  const text = typeof value === "string" ? value.trim() : "";
  const isUsable = !error && text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageLimit;
  return { detail: isUsable ? text : plain, cost };
}
