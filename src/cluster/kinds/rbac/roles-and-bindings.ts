import type { AggregationRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import {
  type FieldError,
  invalid,
  invalidStruct,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Rule } from "../../contract/authorizer.ts";
import type { Sent } from "../../contract/sent.ts";
import type { CellReader, Strategy } from "../../registry/resource.ts";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { isUsable, selectorProblems } from "../checks/meta-types.ts";
import { emptyAsNull, fillIn } from "../fill-in.ts";
import { type Problems, needed, refused, optionalChoice } from "../checks/problems.ts";
import { readField, text } from "../cells.ts";
import type { BuiltInKind } from "../built-in-kind.ts";

interface SentRole extends ApiObject {
  rules?: Rule[] | null;
  aggregationRule?: Sent<AggregationRule>;
}

interface SentBinding extends ApiObject {
  roleRef?: Sent<RoleRef>;
  subjects?: Sent<Subject>[];
}

const group = "rbac.authorization.k8s.io";

/** Go serializes absent rules as null. */
const noRules = { rules: null };

const roleStrategy: Partial<Strategy> = {
  validateName: pathSegmentName,
  // A client that sends an empty list owns it.
  default: (object) => fillIn(object, () => noRules),
  prepareForCreate: (object) => emptyAsNull(object, "rules"),
  prepareForUpdate: (object) => emptyAsNull(object, "rules"),
  validate: (object) => [...validateRules(object), ...aggregation(object)],
  validateUpdate: (object) => [...validateRules(object), ...aggregation(object)],
};

const bindingStrategy: Partial<Strategy> = {
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
    const same = (["apiGroup", "kind", "name"] as const).every(
      (field) => (now.roleRef?.[field] ?? "") === (before.roleRef?.[field] ?? ""),
    );
    const errors = validateBinding(now);
    if (!same) errors.push(cannotChange(now));
    return errors;
  },
};

function validateRules({ rules, kind }: SentRole): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => {
    const field = `rules[${index}]`;
    const errors: FieldError[] = [];
    if (!rule.verbs?.length) errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
    if (rule.nonResourceURLs?.length) {
      const at = `${field}.nonResourceURLs`;
      if (kind === "Role") {
        const detail = "namespaced rules cannot apply to non-resource URLs";
        errors.push(invalid(at, rule.nonResourceURLs, detail));
      }
      if ([rule.apiGroups, rule.resources, rule.resourceNames].some((list) => list?.length)) {
        const detail = "rules cannot apply to both regular resources and non-resource URLs";
        errors.push(invalid(at, rule.nonResourceURLs, detail));
      }
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

function validateBinding(object: SentBinding): FieldError[] {
  return [...bindingProblems(object)];
}

function* bindingProblems({ kind, roleRef = {}, subjects = [] }: SentBinding): Problems {
  const kinds = kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const { apiGroup = "", kind: role = "", name } = roleRef;
  if (apiGroup !== group) yield notSupported("roleRef.apiGroup", apiGroup, [group]);
  yield* optionalChoice("roleRef.kind", role, kinds);
  yield* needed("roleRef.name", name, (text) => pathSegmentName(text, false));
  for (const [index, subject] of subjects.entries()) {
    yield* subjectProblems(`subjects[${index}]`, subject, kind === "ClusterRoleBinding");
  }
}

function* subjectProblems(field: string, subject: Sent<Subject>, needsNamespace: boolean): Problems {
  const { apiGroup = "", kind = "", name, namespace } = subject;
  if (!name) yield required(`${field}.name`);
  if (kind === "ServiceAccount") {
    if (name) yield* refused(`${field}.name`, name, checkSubdomain(name));
    if (apiGroup !== "") yield notSupported(`${field}.apiGroup`, apiGroup, [""]);
    if (!namespace && needsNamespace) yield required(`${field}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) yield notSupported(`${field}.apiGroup`, apiGroup, [group]);
  } else yield notSupported(`${field}.kind`, kind, subjectKinds);
}

function cannotChange({ roleRef: { apiGroup = "", kind = "", name = "" } = {} }: SentBinding): FieldError {
  // The server shows its own struct, whose fields have other names.
  return invalidStruct("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef");
}

function subjects(kind: string): CellReader {
  return (object) =>
    (readField<Subject[]>(object, "subjects") ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ");
}

const binding: Readonly<Record<string, CellReader>> = {
  Role: (object) => `${text("roleRef.kind")(object)}/${text("roleRef.name")(object)}`,
  Users: subjects("User"),
  Groups: subjects("Group"),
  ServiceAccounts: subjects("ServiceAccount"),
};

export const role: BuiltInKind = {
  resource: "roles.rbac.authorization.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: roleStrategy,
  emptyObject: noRules,
};

export const roleBinding: BuiltInKind = {
  resource: "rolebindings.rbac.authorization.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: bindingStrategy,
  cells: binding,
  emptyObject: { roleRef: {} },
  zeroValues: { roleRef: { apiGroup: "", kind: "", name: "" } },
};

export const clusterRole: BuiltInKind = {
  resource: "clusterroles.rbac.authorization.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: roleStrategy,
  emptyObject: noRules,
};

export const clusterRoleBinding: BuiltInKind = {
  resource: "clusterrolebindings.rbac.authorization.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: bindingStrategy,
  cells: binding,
  emptyObject: { roleRef: {} },
  zeroValues: { roleRef: { apiGroup: "", kind: "", name: "" } },
};
