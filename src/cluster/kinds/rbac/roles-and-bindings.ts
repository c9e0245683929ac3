import type { AggregationRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { invalid, invalidStruct, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { servesSince, untilDeclared } from "../../contract/version.ts";
import type { Rule } from "../../contract/authorizer.ts";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { isValidSelector, selectorProblems } from "../checks/meta-types.ts";
import { emptyAsNull } from "../fill-in.ts";
import { type Problems, each, needed, refused, optionalChoice, itemsOf } from "../checks/problems.ts";
import type { CellReader } from "../../registry/resource.ts";
import { readField, text } from "../cells.ts";
import type { BuiltInKind } from "../built-in-kind.ts";

const rbacGroup = "rbac.authorization.k8s.io";

const roleDeclaration: Omit<BuiltInKind, "resource"> = {
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    validateName: pathSegmentName,
    // A client that sends an empty list owns it.
    prepareForCreate: (object) => emptyAsNull(object, "rules"),
    prepareForUpdate: (object) => emptyAsNull(object, "rules"),
    validate: (object) => [...ruleProblems(object), ...aggregationProblems(object)],
    validateUpdate: (object) => [...ruleProblems(object), ...aggregationProblems(object)],
  },
};

export const role: BuiltInKind = { resource: `roles.${rbacGroup}`, ...roleDeclaration };

interface SentRole extends ApiObject {
  rules?: Rule[] | null;
  aggregationRule?: Sent<AggregationRule>;
}

function* ruleProblems({ rules, kind }: SentRole): Problems {
  for (const [field, rule] of itemsOf("rules", rules)) {
    const urls = rule.nonResourceURLs ?? [];
    const at = `${field}.nonResourceURLs`;
    if (!rule.verbs?.length)
      yield required(`${field}.verbs`, untilDeclared("verbs must contain at least one value"));
    if (urls.length === 0) {
      if (!rule.apiGroups?.length) {
        yield required(`${field}.apiGroups`, "resource rules must supply at least one api group");
      }
      if (!rule.resources?.length) {
        yield required(`${field}.resources`, "resource rules must supply at least one resource");
      }
      continue;
    }
    if (kind === "Role") yield invalid(at, urls, "namespaced rules cannot apply to non-resource URLs");
    if ([rule.apiGroups, rule.resources, rule.resourceNames].some((list) => list?.length)) {
      yield invalid(at, urls, "rules cannot apply to both regular resources and non-resource URLs");
    }
  }
}

function* aggregationProblems({ aggregationRule }: SentRole): Problems {
  if (!aggregationRule) return;
  const field = "aggregationRule.clusterRoleSelectors";
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0) {
    yield required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const [index, selector] of selectors.entries()) {
    yield* selectorProblems(`${field}[${index}]`, selector);
    // The server shows the selector that it could not convert as null.
    if (!isValidSelector(selector)) yield invalid(`${field}[${index}]`, "null", "invalid label selector.");
  }
}

export const clusterRole: BuiltInKind = { resource: `clusterroles.${rbacGroup}`, ...roleDeclaration };
const subjectKinds = ["ServiceAccount", "User", "Group"];

interface SentBinding extends ApiObject {
  roleRef?: Sent<RoleRef>;
  subjects?: Sent<Subject>[];
}

const bindingDeclaration: Omit<BuiltInKind, "resource"> = {
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    validateName: pathSegmentName,
    default(object) {
      const { roleRef, subjects } = object as SentBinding;
      if (roleRef) roleRef.apiGroup ||= rbacGroup;
      for (const subject of subjects ?? []) {
        if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
      }
    },
    validate: (object) => [...bindingProblems(object)],
    validateUpdate: (object, old) => [...bindingProblems(object), ...roleRefChanges(object, old)],
  },
  cells: {
    Role: (object) => `${text("roleRef.kind")(object)}/${text("roleRef.name")(object)}`,
    Users: subjectsCell("User"),
    Groups: subjectsCell("Group"),
    ServiceAccounts: subjectsCell("ServiceAccount"),
  },
  zeroValues: { roleRef: { apiGroup: "" } },
};

export const roleBinding: BuiltInKind = { resource: `rolebindings.${rbacGroup}`, ...bindingDeclaration };

function* bindingProblems({ kind, roleRef = {}, subjects = [] }: SentBinding): Problems {
  const kinds = kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  const { apiGroup = "", kind: role = "", name } = roleRef;
  if (apiGroup !== rbacGroup) yield notSupported("roleRef.apiGroup", apiGroup, [rbacGroup]);
  yield* optionalChoice("roleRef.kind", role, kinds);
  yield* needed("roleRef.name", name, (text) => pathSegmentName(text, false));
  yield* each("subjects", subjects, (at, subject) =>
    subjectProblems(at, subject, kind === "ClusterRoleBinding"),
  );
}

function* subjectProblems(field: string, subject: Sent<Subject>, needsNamespace: boolean): Problems {
  const { apiGroup = "", kind = "", name, namespace } = subject;
  if (!name) yield required(`${field}.name`);
  if (kind === "ServiceAccount") {
    if (name) yield* refused(`${field}.name`, name, checkSubdomain(name));
    if (apiGroup !== "") yield notSupported(`${field}.apiGroup`, apiGroup, [""]);
    if (!namespace && needsNamespace) yield required(`${field}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== rbacGroup) yield notSupported(`${field}.apiGroup`, apiGroup, [rbacGroup]);
  } else yield notSupported(`${field}.kind`, kind, subjectKinds);
}

function* roleRefChanges({ roleRef: now }: SentBinding, { roleRef: before }: SentBinding): Problems {
  const [shown, old] = [now, before].map((ref) => toGoStruct(ref, "rbac/v1.RoleRef"));
  if (!isEqual(shown, old))
    yield invalidStruct(
      "roleRef",
      shown!,
      servesSince("1.37") ? "field is immutable" : "cannot change roleRef",
    );
}

function subjectsCell(kind: string): CellReader {
  return (object) =>
    (readField<Subject[]>(object, "subjects") ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ");
}

export const clusterRoleBinding: BuiltInKind = {
  resource: `clusterrolebindings.${rbacGroup}`,
  ...bindingDeclaration,
};
