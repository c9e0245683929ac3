import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ClientConfig } from "./webhook-client.ts";

/** A webhook as Mutating- and ValidatingWebhookConfigurations list it. */
export interface WebhookDefinition {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: ReadonlyArray<{ readonly name: string; readonly expression: string }>;
}

export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}
