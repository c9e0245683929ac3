import { compile, fromJSON, kubernetesEnv, type Program, types } from "@tsbuilder/apimachinery/cel";
import { internalError } from "../status/index.ts";
import type { AdmissionRequest } from "./admission.ts";
import type { WebhookDefinition } from "./webhook-configuration.ts";

const programs = new Map<string, Program>();

/** Tells whether all conditions of a webhook hold; one that fails to evaluate counts by the failure policy. */
export function conditionsHold(webhook: WebhookDefinition, request: AdmissionRequest): boolean {
  const variables = lazyVariables(request);
  for (const { name, expression } of webhook.matchConditions ?? []) {
    const { value, error } = programOf(expression).evaluate(variables);
    if (value === false) return false;
    if (value === true) continue;
    if (webhook.failurePolicy === "Ignore") return false;
    const why = error?.message ?? "the expression did not evaluate to a bool";
    throw internalError(
      `webhook ${JSON.stringify(webhook.name)} match condition ${JSON.stringify(name)} failed: ${why}`,
    );
  }
  return true;
}

function programOf(expression: string): Program {
  let program = programs.get(expression);
  if (!program) {
    const names = ["object", "oldObject", "request"].map((name) => [name, types.dyn] as const);
    program = compile(expression, kubernetesEnv().withVariables(names)).program;
    programs.set(expression, program);
  }
  return program;
}

/** Most expressions look at one of them. */
function lazyVariables(request: AdmissionRequest) {
  const { object, oldObject, resource, version, user, operation, namespace, name, subresource, dryRun } =
    request;
  return (variable: string) => {
    if (variable === "object") return fromJSON(object ?? null);
    if (variable === "oldObject") return fromJSON(oldObject ?? null);
    const { group, plural, kind } = resource;
    return fromJSON({
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      subResource: subresource,
      operation,
      namespace,
      name,
      dryRun,
      userInfo: { username: user.name, groups: user.groups, uid: user.uid ?? "" },
    });
  };
}
