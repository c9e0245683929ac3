import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { MatchPolicy, RequestRule } from "../expressions/policy.ts";
import type { ClientConfig } from "./webhook-client.ts";

/** A webhook as Mutating- and ValidatingWebhookConfigurations list it. */
export interface WebhookDefinition {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly RequestRule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: MatchPolicy;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: ReadonlyArray<{ readonly name: string; readonly expression: string }>;
}
