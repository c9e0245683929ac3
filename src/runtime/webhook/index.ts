export { WebhookBuilder } from "./webhook-builder.ts";
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
