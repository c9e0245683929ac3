import type * as v1 from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { count, readField, text } from "../cells.ts";
import { conditionProblems, fixedSchemaProblems, resetFlowControlFields } from "./fixed-specs.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { type Problems, each, needed, refused, wildcardAlone } from "../checks/problems.ts";

export const flowSchema: BuiltInKind = {
  resource: "flowschemas.flowcontrol.apiserver.k8s.io",
  metadataChecks: { update: ["new"], status: [] },
  strategy: {
    resetFields: resetFlowControlFields,
    validate: (object) => [...schemaProblems(object), ...conditionProblems(object)],
    validateUpdate: (object, _old, { subresource }) => [
      ...(subresource === "" ? schemaProblems(object) : []),
      ...conditionProblems(object),
    ],
  },
  cells: {
    PriorityLevel: text("spec.priorityLevelConfiguration.name"),
    MatchingPrecedence: count("spec.matchingPrecedence"),
    DistinguisherMethod: text("spec.distinguisherMethod.type", "<none>"),
    MissingPL: (object) => {
      const conditions = readField<v1.FlowSchemaCondition[]>(object, "status.conditions") ?? [];
      return conditions.find(({ type }) => type === "Dangling")?.status ?? "?";
    },
  },
  zeroValues: { spec: { matchingPrecedence: 0 } },
};

type FlowSchema = ApiObject & { spec?: Sent<v1.FlowSchemaSpec> };

const highestPrecedence = 10_000;

function* schemaProblems(object: FlowSchema): Problems {
  const { metadata, spec = {} } = object;
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method } = spec;
  const field = "spec.matchingPrecedence";
  if (precedence <= 0) yield invalid(field, precedence, "must be a positive value");
  if (precedence > highestPrecedence) {
    yield invalid(field, precedence, `must not be greater than ${highestPrecedence}`);
  }
  if (precedence === 1 && metadata.name !== "exempt") {
    yield invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const { type = "" } = method ?? {};
  if (method && type !== "ByNamespace" && type !== "ByUser") {
    yield notSupported("spec.distinguisherMethod.type", { Type: type }, ["ByNamespace", "ByUser"]);
  }
  const { name = "" } = spec.priorityLevelConfiguration ?? {};
  if (name !== "") yield* refused("spec.priorityLevelConfiguration.name", name, checkSubdomain(name));
  else yield required("spec.priorityLevelConfiguration.name", "must reference a priority level");
  yield* each("spec.rules", spec.rules, ruleProblems);
  yield* fixedSchemaProblems(object);
}

function* ruleProblems(field: string, rule: Sent<v1.PolicyRulesWithSubjects>): Problems {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  yield* each(`${field}.subjects`, subjects, subjectProblems);
  if (subjects.length === 0) yield required(`${field}.subjects`, "subjects must contain at least one value");
  if (resourceRules.length + nonResourceRules.length === 0) {
    yield required(field, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  yield* each(`${field}.resourceRules`, resourceRules, resourceRuleProblems);
  yield* each(`${field}.nonResourceRules`, nonResourceRules, nonResourceRuleProblems);
}

const subjectFields = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* subjectProblems(field: string, subject: Sent<v1.Subject>): Problems {
  const { kind = "" } = subject;
  if (!Object.hasOwn(subjectFields, kind)) {
    return yield notSupported(`${field}.kind`, kind, ["Group", "ServiceAccount", "User"]);
  }
  const ownField = subjectFields[kind as keyof typeof subjectFields];
  const at = `${field}.${ownField}`;
  if (!subject[ownField]) yield required(at, `${ownField} is required when subject kind is '${kind}'`);
  else if (ownField === "serviceAccount") yield* accountProblems(at, subject[ownField]);
  else yield* needed(`${at}.name`, subject[ownField].name);
  for (const [otherKind, other] of Object.entries(subjectFields)) {
    if (other === ownField || !subject[other]) continue;
    yield forbidden(`${field}.${other}`, `${other} is forbidden when subject kind is not '${otherKind}'`);
  }
}

function* accountProblems(
  field: string,
  { name, namespace = "" }: { name?: string; namespace?: string },
): Problems {
  yield* needed(`${field}.name`, name, (each) => (each === "*" ? [] : checkSubdomain(each)));
  if (namespace !== "") yield* refused(`${field}.namespace`, namespace, checkLabel(namespace));
  else yield required(`${field}.namespace`, "must specify namespace for service account");
}

function* nonResourceRuleProblems(
  field: string,
  { verbs = [], nonResourceURLs = [] }: Sent<v1.NonResourcePolicyRule>,
): Problems {
  yield* verbProblems(`${field}.verbs`, verbs);
  const at = `${field}.nonResourceURLs`;
  if (nonResourceURLs.length === 0) yield required(at, "nonResourceURLs must contain at least one value");
  if (nonResourceURLs.includes("*")) return yield* wildcardAlone(at, nonResourceURLs, "non-resource URLs");
  yield* each(at, nonResourceURLs, (each, path) => refused(each, path, checkPath(path)));
}

const knownVerbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

function* verbProblems(field: string, verbs: readonly string[]): Problems {
  if (verbs.length === 0) yield required(field, "verbs must contain at least one value");
  else if (verbs.includes("*")) yield* wildcardAlone(field, verbs, "verbs");
  else if (!verbs.every((verb) => knownVerbs.includes(verb))) yield notSupported(field, verbs, knownVerbs);
}

function checkPath(path: string): string[] {
  if (path === "") return ["must not be empty"];
  if (path === "/") return [];
  if (!path.startsWith("/")) return ["must start with slash"];
  if (path.includes(" ")) return ["must not contain white-space"];
  if (path.includes("//")) return ["must not contain double slash"];
  const at = path.indexOf("*");
  const isSuffix = at === -1 || (path.endsWith("/*") && at === path.length - 1);
  return isSuffix ? [] : ["wildcard can only do suffix matching"];
}

function* resourceRuleProblems(field: string, rule: Sent<v1.ResourcePolicyRule>): Problems {
  const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
  yield* verbProblems(`${field}.verbs`, verbs);
  if (apiGroups.length === 0) {
    yield required(`${field}.apiGroups`, "resource rules must supply at least one api group");
  }
  yield* wildcardAlone(`${field}.apiGroups`, apiGroups, "api groups");
  if (resources.length === 0) {
    yield required(`${field}.resources`, "resource rules must supply at least one resource");
  }
  yield* wildcardAlone(`${field}.resources`, resources, "resources");
  const at = `${field}.namespaces`;
  if (namespaces.length === 0 && !clusterScope) {
    yield required(at, "resource rules that are not cluster scoped must supply at least one namespace");
  }
  if (namespaces.includes("*")) return yield* wildcardAlone(at, namespaces, "namespaces");
  for (const [index, namespace] of namespaces.entries()) {
    const reasons = checkLabel(namespace).map(
      (reason) => `each member of this list must be '*' or a DNS-1123 label; ${reason}`,
    );
    yield* refused(`${at}[${index}]`, namespace, reasons);
  }
}
