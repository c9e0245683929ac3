export { WebhookBuilder } from "./webhook-builder.ts";
export type { AdmissionDecision, AdmissionWebhook } from "./webhooks.ts";
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
