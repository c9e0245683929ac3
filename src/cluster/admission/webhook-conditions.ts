import type { Authorizer } from "../contract/authorizer.ts";
import { forbidden } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { Compilation } from "../expressions/compile-expression.ts";
import { conditionsHold, matchConditionBudget } from "../expressions/match-conditions.ts";
import { objectInVersion, requestNames } from "../expressions/request-names.ts";
import { Budget } from "../expressions/run-expression.ts";
import { PolicyCompiler } from "../expressions/policy-compiler.ts";
import type { WebhookDefinition } from "./webhook-configuration.ts";

/** Stored definitions never change, so their conditions are compiled once. */
const compiled = new WeakMap<WebhookDefinition, Compilation[]>();

/** Tells whether all conditions of a webhook hold; one that fails to evaluate counts by the failure policy. */
export async function webhookConditionsHold(
  webhook: WebhookDefinition,
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

function conditionsOf(webhook: WebhookDefinition): Compilation[] {
  let conditions = compiled.get(webhook);
  if (!conditions) {
    const compiler = new PolicyCompiler({ params: false, variables: false });
    conditions = webhook.matchConditions!.map(({ expression }) => compiler.condition(expression));
    compiled.set(webhook, conditions);
  }
  return conditions;
}
