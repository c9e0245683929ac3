import type { MatchCondition } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { duplicate, internalError, invalid, required, tooMany } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../contract/sent.ts";
import type { Compilation } from "../../expressions/expression.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";
import { type Problems, refused } from "../checks/problems.ts";

const mostConditions = 64;

/** Validates match conditions, which can't use variables, and `params` only where the policy has them. */
export function* matchConditionProblems(
  field: string,
  list: readonly Sent<MatchCondition>[],
  options: { readonly params: boolean },
): Problems {
  if (list.length > mostConditions) yield tooMany(field, list.length, mostConditions);
  const compiler = new PolicyCompiler({ ...options, variables: false });
  const names = new Set<string>();
  for (const [index, { name = "", expression = "" }] of list.entries()) {
    const at = `${field}[${index}]`;
    const text = expression.trim();
    if (text === "") yield required(`${at}.expression`);
    else yield* compilationProblems(`${at}.expression`, text, compiler.condition(text));
    if (name === "") yield required(`${at}.name`);
    else {
      yield* refused(`${at}.name`, name, checkQualifiedName(name));
      if (names.has(name)) yield duplicate(`${at}.name`, name);
    }
    names.add(name);
  }
}

/** The error for an expression that does not compile. */
export function* compilationProblems(field: string, expression: string, compiled: Compilation): Problems {
  if (!("detail" in compiled)) return;
  if (compiled.internal) yield internalError(field, compiled.detail);
  else yield invalid(field, expression, compiled.detail);
}
