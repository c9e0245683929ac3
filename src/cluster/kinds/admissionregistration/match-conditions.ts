import type { MatchCondition } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { internalError, invalid, required, tooMany } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/api-object.ts";
import type { Compilation } from "../../expressions/expression.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";
import { type Problems, refused, itemsOf, unique } from "../checks/problems.ts";

const mostConditions = 64;

/** Validates match conditions. Their expressions can't use variables, and `params` only if the policy has a paramKind. */
export function* matchConditionProblems(
  field: string,
  list: readonly Sent<MatchCondition>[],
  options: { readonly params: boolean },
): Problems {
  if (list.length > mostConditions) yield tooMany(field, list.length, mostConditions);
  const compiler = new PolicyCompiler({ ...options, variables: false });
  const uniqueName = unique();
  for (const [at, { name = "", expression = "" }] of itemsOf(field, list)) {
    const text = expression.trim();
    if (text === "") yield required(`${at}.expression`);
    else yield* compilationProblems(`${at}.expression`, text, compiler.condition(text));
    if (name === "") yield required(`${at}.name`);
    else {
      yield* refused(`${at}.name`, name, checkQualifiedName(name));
      yield* uniqueName(`${at}.name`, name);
    }
  }
}

/** Reports an expression that does not compile; a failure of the compiler is an internal error. */
export function* compilationProblems(field: string, expression: string, compiled: Compilation): Problems {
  if (!("detail" in compiled)) return;
  if (compiled.internal) yield internalError(field, compiled.detail);
  else yield invalid(field, expression, compiled.detail);
}
