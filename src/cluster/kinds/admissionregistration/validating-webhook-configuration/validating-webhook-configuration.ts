import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { eachOf } from "../../fill-in.ts";
import { defaultWebhook } from "../defaults.ts";
import { webhooksStrategy } from "../webhooks-strategy.ts";

/** The defaults of webhooks: matchPolicy Equivalent, failurePolicy Fail, and a timeout of ten seconds. */
const validatingWebhooksStrategy: Partial<Strategy> = {
  ...webhooksStrategy,
  default: (object) => eachOf(object, "webhooks").forEach(defaultWebhook),
};

export const validatingWebhookConfiguration: BuiltInKind = {
  resource: "validatingwebhookconfigurations.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: validatingWebhooksStrategy,
  cells: { Webhooks: size("webhooks") },
};
