import type { Authorizer } from "../contract/authorizer.ts";
import { forbidden } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { Compilation } from "../expressions/compile-expression.ts";
import { conditionsHold, matchConditionBudget } from "../expressions/match-conditions.ts";
import { objectInVersion, requestNames } from "../expressions/request-names.ts";
import { Budget } from "../expressions/run-expression.ts";
import { PolicyCompiler } from "../expressions/policy-compiler.ts";
import type { Webhook } from "./webhook.ts";

/** Stored webhooks are never changed in place, so their conditions are compiled once. */
const compiled = new WeakMap<Webhook, Compilation[]>();

/** Whether all match conditions of a webhook hold; the failure policy decides about errors in them. */
export async function webhookConditionsHold(
  webhook: Webhook,
  request: AdmissionRequest,
  version: string,
  authorizer: Authorizer,
): Promise<boolean> {
  if (!webhook.matchConditions?.length) return true;
  const [object, oldObject] = await Promise.all(
    [request.object, request.oldObject].map((each) => objectInVersion(each, request, version)),
  );
  const names = requestNames(request, { authorizer, version, object, oldObject });
  const holds = conditionsHold(conditionsOf(webhook), names, new Budget(matchConditionBudget));
  if (typeof holds === "boolean") return holds;
  if (webhook.failurePolicy === "Ignore") return false;
  throw forbidden(request.resource, request.name, holds.error);
}

function conditionsOf(webhook: Webhook): Compilation[] {
  let conditions = compiled.get(webhook);
  if (!conditions) {
    const compiler = new PolicyCompiler({ params: false, variables: false });
    conditions = webhook.matchConditions!.map(({ expression }) => compiler.condition(expression));
    compiled.set(webhook, conditions);
  }
  return conditions;
}
