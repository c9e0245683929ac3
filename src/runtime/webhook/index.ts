export type {
  AdmissionContext,
  AdmissionRequest,
  Conversion,
  Converted,
  Defaulter,
  InvalidField,
  Validator,
  Verdict,
  WebhookBuilder,
} from "./webhooks.ts";
