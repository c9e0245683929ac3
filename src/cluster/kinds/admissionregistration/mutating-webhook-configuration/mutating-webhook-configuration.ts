import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { eachOf } from "../../fill-in.ts";
import { defaultWebhook } from "../defaults.ts";
import { webhooksStrategy } from "../webhooks-strategy.ts";

const mutatingWebhooksStrategy: Partial<Strategy> = {
  ...webhooksStrategy,
  default(object) {
    for (const webhook of eachOf(object, "webhooks")) {
      defaultWebhook(webhook);
      webhook["reinvocationPolicy"] ??= "Never";
    }
  },
};

export const mutatingWebhookConfiguration: BuiltInKind = {
  resource: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: mutatingWebhooksStrategy,
  cells: { Webhooks: size("webhooks") },
};
