import type { User } from "./user.ts";

/** What a user wants to do, in the terms of RBAC and the access reviews. */
export interface Attributes {
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** One rule of a role, as RBAC and SelfSubjectRulesReview write it. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Authorizer {
  decide(user: User, attributes: Attributes): Decision;
  /** All rules that hold for a user in a namespace. */
  rulesOf(user: User, namespace: string): Rule[];
}

/** Everybody may do everything. */
export const alwaysAllow: Authorizer = {
  decide: () => ({ allowed: true, reason: "" }),
  rulesOf: () => [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ],
};
