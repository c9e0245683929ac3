import type { AggregationRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { type FieldError, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Rule } from "../../contract/authorizer.ts";
import type { Sent } from "../../contract/sent.ts";
import type { Strategy } from "../../registry/resource.ts";
import { pathSegmentName } from "../../registry/validate-name.ts";
import { isUsable, selectorProblems } from "../checks/label-selector.ts";
import type { Problems } from "../checks/problems.ts";

interface SentRole extends ApiObject {
  rules?: Rule[] | null;
  aggregationRule?: Sent<AggregationRule>;
}

interface SentBinding extends ApiObject {
  roleRef?: Sent<RoleRef>;
  subjects?: Sent<Subject>[];
}

const group = "rbac.authorization.k8s.io";

export const roleStrategy: Partial<Strategy> = {
  validateName: pathSegmentName,
  prepareForCreate: showRules,
  prepareForUpdate: showRules,
  validate: (object) => [...validateRules(object), ...aggregation(object)],
  validateUpdate: (object) => [...validateRules(object), ...aggregation(object)],
};

export const bindingStrategy: Partial<Strategy> = {
  validateName: pathSegmentName,
  default(object) {
    const { roleRef, subjects } = object as SentBinding;
    if (roleRef) roleRef.apiGroup ||= group;
    for (const subject of subjects ?? []) {
      if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
    }
  },
  validate: (object) => validateBinding(object),
  validateUpdate(object, old) {
    const [now, before] = [object as SentBinding, old as SentBinding];
    const same = now.roleRef?.kind === before.roleRef?.kind && now.roleRef?.name === before.roleRef?.name;
    const errors = validateBinding(now);
    if (!same) errors.push(cannotChange(now));
    return errors;
  },
};

/** Go always serializes the list, an empty one as null; a client that sends an empty list owns it. */
function showRules(object: ApiObject): void {
  const role = object as SentRole;
  if (!role.rules?.length) role.rules = null;
}

function validateRules({ rules, kind }: SentRole): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const errors: FieldError[] = [];
    if (!rule.verbs?.length) errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
    if (rule.nonResourceURLs?.length) {
      if (kind === "ClusterRole") return errors;
    } else {
      if (!rule.apiGroups?.length) {
        errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
      }
      if (!rule.resources?.length) {
        errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
      }
    }
    return errors;
  });
}

function* aggregation({ aggregationRule }: SentRole): Problems {
  if (!aggregationRule) return;
  const field = "aggregationRule.clusterRoleSelectors";
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0) {
    yield required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [index, selector] of selectors.entries()) {
    yield* selectorProblems(`${field}[${index}]`, selector);
    // The server shows the selector that it could not convert as null.
    if (!isUsable(selector)) yield invalid(`${field}[${index}]`, "null", "invalid label selector.");
  }
}

const subjectKinds = ["ServiceAccount", "User", "Group"];

function validateBinding({ kind, roleRef, subjects = [] }: SentBinding): FieldError[] {
  const errors: FieldError[] = [];
  const kinds = kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(roleRef?.kind ?? ""))
    errors.push(notSupported("roleRef.kind", roleRef?.kind ?? "", kinds));
  if (!roleRef?.name) errors.push(required("roleRef.name"));
  for (const [index, subject] of subjects.entries()) {
    const field = `subjects[${index}]`;
    if (!subject.name) errors.push(required(`${field}.name`));
    if (!subjectKinds.includes(subject.kind ?? "")) {
      errors.push(notSupported(`${field}.kind`, subject.kind ?? "", subjectKinds));
    } else if (subject.kind === "ServiceAccount" && !subject.namespace && kind === "ClusterRoleBinding") {
      errors.push(required(`${field}.namespace`));
    }
  }
  return errors;
}

function cannotChange({ roleRef }: SentBinding): FieldError {
  return {
    reason: "FieldValueInvalid",
    field: "roleRef",
    badValue: roleRef,
    detail: "cannot change roleRef",
    body: `Invalid value: {"apiGroup":${JSON.stringify(roleRef?.apiGroup)},"kind":${JSON.stringify(roleRef?.kind)},"name":${JSON.stringify(roleRef?.name)}}: cannot change roleRef`,
  };
}
