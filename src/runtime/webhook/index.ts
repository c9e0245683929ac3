export { WebhookBuilder } from "./webhook-builder.ts";
export type { AdmissionDecision, AdmissionWebhook } from "./admission-webhook.ts";
export type {
  AdmissionContext,
  AdmissionRequest,
  Conversion,
  Converted,
  Defaulter,
  InvalidField,
  Validator,
  Verdict,
} from "./webhooks.ts";
