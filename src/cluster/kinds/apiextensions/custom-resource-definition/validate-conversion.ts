import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { CRDConversion } from "@tsbuilder/apimachinery/crd";
import { checkLabel1035 } from "@tsbuilder/apimachinery/naming";
import { choice, type Problems, refused } from "../../checks/problems.ts";
import { webhookClient } from "../../checks/webhook-client.ts";

/** Validates how the versions of a CRD are converted, and that its webhook can be called. */
export function* conversionProblems(field: string, { strategy, webhook }: CRDConversion): Problems {
  yield* choice(`${field}.strategy`, strategy, ["None", "Webhook"]);
  // The server reports the two fields at their paths in v1beta1.
  const client = `${field}.webhookClientConfig`;
  const reviews = `${field}.conversionReviewVersions`;
  if (strategy !== "Webhook") {
    const refusal = "should not be set when strategy is not set to Webhook";
    if (webhook?.clientConfig) yield forbidden(client, refusal);
    if (webhook?.conversionReviewVersions?.length) yield forbidden(reviews, refusal);
    return;
  }
  if (!webhook?.clientConfig) yield required(client, "required when strategy is set to Webhook");
  else yield* webhookClient(client, webhook.clientConfig);
  yield* reviewVersions(reviews, webhook?.conversionReviewVersions ?? []);
}

function* reviewVersions(field: string, versions: readonly string[]): Problems {
  if (versions.length === 0) return yield required(field);
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) yield invalid(`${field}[${index}]`, version, "duplicate version");
    else yield* refused(`${field}[${index}]`, version, checkLabel1035(version));
  }
  if (!versions.some((version) => version === "v1" || version === "v1beta1")) {
    yield invalid(field, versions, "must include at least one of v1, v1beta1");
  }
}
