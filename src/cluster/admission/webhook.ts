import type { MutatingWebhook } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";

/** A webhook of either kind of configuration: only mutating ones have a `reinvocationPolicy`. */
export type Webhook = MutatingWebhook;

/** A webhook with the name of its configuration. */
export interface ConfiguredWebhook {
  readonly configuration: string;
  readonly webhook: Webhook;
}
