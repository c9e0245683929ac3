import * as cel from "@tsbuilder/apimachinery/cel";
import { listed } from "../contract/status-error.ts";

interface CompiledExpression {
  readonly source: string;
  readonly type: cel.CelType;
  readonly program: cel.Program;
}

/** The API server's message about an expression that does not compile. */
interface ExpressionProblem {
  readonly detail: string;
  /** Type checking succeeded but the program could not be built, which the server reports as an internal error. */
  readonly internal?: boolean;
}

/** A compiled expression, or why it does not compile. */
export type Compilation = CompiledExpression | ExpressionProblem;

/** Compiles an expression that must have one of the given types. Default: any type. */
export function compileExpression(
  source: string,
  env: cel.Env,
  ...wanted: readonly cel.CelType[]
): Compilation {
  try {
    const { type, program } = cel.compileStrictly(source, env);
    if (wanted.length > 0 && !wanted.some((candidate) => cel.isSameType(candidate, type))) {
      return { detail: `must evaluate to ${listTypes(wanted)} but got ${typeName(type)}` };
    }
    return { source, type, program };
  } catch (error) {
    if (error instanceof cel.CelSyntaxError) return { detail: `compilation failed: ${error.message}` };
    if (error instanceof cel.EvalError) {
      return { detail: `program instantiation failed: ${error.message}`, internal: true };
    }
    throw error;
  }
}

function listTypes(wanted: readonly cel.CelType[]): string {
  return wanted.length === 1 ? typeName(wanted[0]!) : `one of [${wanted.map(typeName).join(" ")}]`;
}

/** The name of a type in messages. */
function typeName(type: cel.CelType): string {
  return type.params.length > 0 ? cel.formatType(type) : type.runtimeName;
}

/** Looks up the variables of an expression. */
export type Names = (name: string) => cel.Value | undefined;

/** The value of an expression, or the reason why there is none. */
export type Evaluation = { readonly value: cel.Value } | { readonly error: string };

/** The cost budget that a group of expressions shares. */
export class Budget {
  #left: number;

  constructor(cost: number) {
    this.#left = cost;
  }

  /** Throws an OutOfBudgetError if the cost exceeds the rest of the budget. */
  spend(cost: number): void {
    if (cost > this.#left) throw new cel.OutOfBudgetError();
    this.#left -= cost;
  }
}

/** Evaluates an expression and spends its cost; throws if that exceeds the budget. */
export function runExpression(compiled: Compilation, names: Names, budget: Budget): Evaluation {
  if ("detail" in compiled) return { error: `compilation error: ${compiled.detail}` };
  const { value, error, cost } = compiled.program.evaluate(names, cel.perCallLimit);
  budget.spend(cost);
  if (error instanceof cel.OutOfBudgetError) throw error;
  if (error) return { error: `expression '${compiled.source}' resulted in error: ${error.message}` };
  return { value: value! };
}

/** The cost budget of match conditions: a quarter of that of a policy's validations. */
const matchConditionBudget = 2_500_000;

/** Evaluates match conditions: false if any is false; otherwise the errors, for the failure policy; otherwise true. */
export function conditionsHold(
  conditions: readonly Compilation[],
  namesFor: (budget: Budget) => Names,
): boolean | { readonly error: string } {
  const budget = new Budget(matchConditionBudget);
  const names = namesFor(budget);
  try {
    const outcomes = conditions.map((condition) => runExpression(condition, names, budget));
    if (outcomes.some((outcome) => "value" in outcome && outcome.value === false)) return false;
    const errors = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []));
    return errors.length === 0 || { error: listed(errors) };
  } catch (error) {
    if (error instanceof cel.OutOfBudgetError) return { error: error.message };
    throw error;
  }
}

let deviceEnv: cel.Env | undefined;

/** The dynamic type under its name in protobuf. */
const anyType: cel.CelType = {
  ...cel.types.dyn,
  name: "google.protobuf.Any",
  runtimeName: "google.protobuf.Any",
};

/** The CEL variable `device` of dynamic resource allocation. */
const deviceType = cel.objectType(
  "kubernetes.DRADevice",
  new Map([
    ["driver", cel.types.string],
    ["allowMultipleAllocations", cel.types.bool],
    ["attributes", byQualifiedName(anyType)],
    ["capacity", byQualifiedName(cel.quantityType)],
  ]),
);

/** Compiles an expression that selects devices for a ResourceClaim. Its type is bool, or dyn for an attribute. */
export function compileSelector(source: string): Compilation {
  const compiled = compileExpression(
    source,
    (deviceEnv ??= cel.kubernetesEnv().withVariables([["device", deviceType]])),
  );
  if ("detail" in compiled) return compiled;
  const { type } = compiled;
  if (type.kind === "bool" || type.kind === "dyn") return compiled;
  return { detail: `must evaluate to bool or the unknown type, not ${typeName(type)}` };
}

/** The type of values by qualified name: a map by domain of maps by name. */
function byQualifiedName(value: cel.CelType): cel.CelType {
  return cel.mapType(cel.types.string, cel.mapType(cel.types.string, value));
}
