import { messageLimit, OutOfBudgetError, runtimeBudget } from "@tsbuilder/apimachinery/cel";
import { conditionsHold, matchConditionBudget } from "../../expressions/match-conditions.ts";
import { Budget, type Evaluation, type Names, runExpression } from "../../expressions/run-expression.ts";
import type { CompiledValidatingPolicy, CompiledValidation } from "./compile-policy.ts";
import type { PolicyNames } from "./evaluation.ts";

/** Why a policy denies a request. */
export interface Objection {
  readonly message: string;
  readonly reason?: string | undefined;
  /** The policy could not be evaluated: its failure policy decides whether this counts. */
  readonly failed?: boolean;
  /** From an audit annotation: denies the request whatever the binding's validation actions are. */
  readonly always?: boolean;
}

/** Evaluates a validating policy for one request and returns its objections. */
export function evaluatePolicy(compiled: CompiledValidatingPolicy, names: PolicyNames): Objection[] {
  const conditions = new Budget(matchConditionBudget);
  const budget = new Budget(runtimeBudget);
  try {
    const holds = conditionsHold(compiled.conditions, names(conditions), conditions);
    if (holds === false) return [];
    if (holds !== true) return [failure(holds.error)];
    return [...evaluateValidations(compiled, names(budget), budget, names), ...annotate(compiled, names)];
  } catch (error) {
    if (error instanceof OutOfBudgetError) return [failure(error.message)];
    throw error;
  }
}

function evaluateValidations(
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

/** Messages are evaluated even if they are not needed; if they exceed the cost budget, every validation fails. */
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

/** There is no audit log here, but an audit annotation that can't be evaluated denies the request. */
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
