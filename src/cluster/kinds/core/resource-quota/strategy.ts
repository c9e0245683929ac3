import type { ResourceQuota, ResourceQuotaSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import { canonicalizeQuantity, compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { invalid } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { emptyStatusStrategy } from "../../empty-status.ts";
import type { Problems } from "../../checks/problems.ts";
import { amount, quotaResourceName } from "../resource-names.ts";
import { scopeProblems, selectorOfScopes } from "./scopes.ts";

type Quota = Sent<ResourceQuota>;

export const resourceQuotaStrategy: Partial<Strategy> = {
  ...emptyStatusStrategy,
  statusWritesMetadata: true,
  returnsDeleted: true,
  validate: (object) => [...specProblems(object)],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status"
      ? [...statusProblems(object)]
      : [...specProblems(object), ...sameScopes(object, old)],
  warnings: (object, old) => (old ? [] : [...requestsAboveLimits(object)]),
};

function* requestsAboveLimits(object: ApiObject): Generator<string> {
  const hard = (object as Quota).spec?.hard ?? {};
  for (const name of ["cpu", "memory", "storage", "ephemeral-storage"]) {
    const mayBeBare = name === "cpu" || name === "memory";
    const requests = hard[`requests.${name}`] === undefined && mayBeBare ? name : `requests.${name}`;
    const limits = `limits.${name}`;
    const [request, limit] = [hard[requests], hard[limits]];
    if (request === undefined || limit === undefined || compareQuantities(request, limit) <= 0) continue;
    const shown = [request, limit].map(canonicalizeQuantity);
    yield `ResourceQuota ${requests} (${shown[0]}) should be less than ${limits} (${shown[1]})`;
  }
}

function* specProblems(object: ApiObject): Problems {
  const { spec = {} } = object as Quota;
  yield* amounts("spec.hard", spec.hard);
  yield* scopeProblems("spec.scopes", spec);
  yield* selectorOfScopes("spec.scopeSelector.matchExpressions", spec);
}

function* statusProblems(object: ApiObject): Problems {
  const { status = {} } = object as Quota;
  yield* amounts("status.hard", status.hard);
  yield* amounts("status.used", status.used);
}

function* amounts(field: string, list: Sent<ResourceQuotaSpec>["hard"] = {}): Problems {
  for (const [name, quantity] of Object.entries(list)) {
    yield* quotaResourceName(`${field}[${name}]`, name);
    yield* amount(`${field}[${name}]`, name, quantity);
  }
}

function* sameScopes(object: ApiObject, old: ApiObject): Problems {
  const [now = [], before = []] = [object as Quota, old as Quota].map(({ spec }) => spec?.scopes);
  const isSame = now.every((scope) => before.includes(scope)) && before.every((scope) => now.includes(scope));
  if (!isSame) yield invalid("spec.scopes", (object as Quota).spec?.scopes, "field is immutable");
}
