import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";

/** Which requests a rule matches. */
export interface RequestRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  /** Names of objects; any where there are none. */
  readonly resourceNames?: readonly string[];
}

export type MatchPolicy = "Exact" | "Equivalent";

export interface MatchResources {
  readonly resourceRules?: readonly RequestRule[];
  readonly excludeResourceRules?: readonly RequestRule[];
  readonly matchPolicy?: MatchPolicy;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/** What policies of both kinds say. */
export interface PolicySpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: ReadonlyArray<{ readonly name: string; readonly expression: string }>;
  readonly variables?: ReadonlyArray<{ readonly name: string; readonly expression: string }>;
  readonly failurePolicy?: "Fail" | "Ignore";
}

export interface ValidatingPolicySpec extends PolicySpec {
  readonly validations?: readonly Validation[];
  readonly auditAnnotations?: ReadonlyArray<{ readonly key: string; readonly valueExpression: string }>;
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface MutatingPolicySpec extends PolicySpec {
  readonly mutations?: readonly Mutation[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

export interface Mutation {
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** Where a policy holds, and with which parameters. */
export interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions?: ReadonlyArray<"Deny" | "Warn" | "Audit">;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: "Allow" | "Deny";
}

export interface Policy<Spec extends PolicySpec = PolicySpec> extends ApiObject {
  readonly spec: Spec;
}

export interface PolicyBinding extends ApiObject {
  readonly spec: BindingSpec;
}
