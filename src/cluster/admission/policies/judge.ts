import { messageLimit, OutOfBudgetError, runtimeBudget } from "@tsbuilder/apimachinery/cel";
import { conditionsHold, matchConditionBudget } from "../../expressions/match-conditions.ts";
import { Budget, type Evaluation, type Names, runExpression } from "../../expressions/run-expression.ts";
import type { CompiledValidatingPolicy, CompiledValidation } from "./compile-policy.ts";
import type { PolicyNames } from "./evaluation.ts";

/** Why a policy is against a request. */
export interface Objection {
  readonly message: string;
  readonly reason?: string | undefined;
  /** The policy could not be evaluated: its failure policy says whether that counts. */
  readonly failed?: boolean;
  /** Said by an audit annotation: it denies whatever the binding's actions are. */
  readonly always?: boolean;
}

/** Evaluates a validating policy for one request, and gives what it objects to. */
export function judge(compiled: CompiledValidatingPolicy, names: PolicyNames): Objection[] {
  const conditions = new Budget(matchConditionBudget);
  const budget = new Budget(runtimeBudget);
  try {
    const holds = conditionsHold(compiled.conditions, names(conditions), conditions);
    if (holds === false) return [];
    if (holds !== true) return [failure(holds.error)];
    return [...judgeValidations(compiled, names(budget), budget, names), ...annotate(compiled, names)];
  } catch (error) {
    if (error instanceof OutOfBudgetError) return [failure(error.message)];
    throw error;
  }
}

function judgeValidations(
  { validations }: CompiledValidatingPolicy,
  names: Names,
  budget: Budget,
  policyNames: PolicyNames,
): Objection[] {
  const outcomes = validations.map(({ condition }) => runExpression(condition, names, budget));
  const messages = evaluateMessages(validations, policyNames(budget), budget);
  return outcomes.flatMap((outcome, index) => {
    if ("error" in outcome) return [failure(outcome.error)];
    if (messages instanceof OutOfBudgetError)
      return [failure(`failed messageExpression: ${messages.message}`)];
    if (outcome.value === true) return [];
    const { validation } = validations[index]!;
    return [{ message: messageOf(validations[index]!, messages[index]), reason: validation.reason }];
  });
}

/** Messages are made whether they are needed or not; where that costs too much, nothing passes. */
function evaluateMessages(
  validations: readonly CompiledValidation[],
  names: Names,
  budget: Budget,
): Array<Evaluation | undefined> | OutOfBudgetError {
  try {
    return validations.map(({ message }) => message && runExpression(message, names, budget));
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error;
    throw error;
  }
}

function messageOf({ validation }: CompiledValidation, made: Evaluation | undefined): string {
  const text = made && "value" in made && typeof made.value === "string" ? made.value.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageLimit) return text;
  return validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}

/** Audit annotations go nowhere here, but those that can't be made stand in the way of the request. */
function annotate({ annotations }: CompiledValidatingPolicy, names: PolicyNames): Objection[] {
  const budget = new Budget(runtimeBudget);
  const group = names(budget);
  return annotations.flatMap((annotation) => {
    const outcome = runExpression(annotation, group, budget);
    return "error" in outcome ? [{ ...failure(outcome.error), always: true }] : [];
  });
}

function failure(message: string): Objection {
  return { message, failed: true };
}
