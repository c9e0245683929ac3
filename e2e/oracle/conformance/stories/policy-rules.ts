import { merge, post, type Step, type Story, story } from "../story.ts";
import { configMaps, type Fields, gone, validating, validatingBindings } from "./policy-cases.ts";

const match = { matchConstraints: { resourceRules: [configMaps] } };
const never = { validations: [{ expression: "false" }] };

/** Policies that differ in some fields; dry run only. */
function policies(...list: readonly Fields[]): Step[] {
  return list.map((spec, index) =>
    post(`${validating}?dryRun=All`, {
      metadata: { name: `{ns}-${index}` },
      spec: { ...match, ...never, ...spec },
    }),
  );
}

function bindings(...list: readonly Fields[]): Step[] {
  return list.map((spec, index) =>
    post(`${validatingBindings}?dryRun=All`, {
      metadata: { name: `{ns}-${index}` },
      spec: { policyName: "some", validationActions: ["Deny"], ...spec },
    }),
  );
}

const rule = (fields: Fields): Fields => ({
  matchConstraints: { resourceRules: [{ ...configMaps, ...fields }] },
});
const matching = (fields: Fields): Fields => ({ matchConstraints: { ...match.matchConstraints, ...fields } });
const validation = (fields: Fields): Fields => ({ validations: [{ expression: "true", ...fields }] });
const expression = (text: string): Fields => ({ validations: [{ expression: text }] });

export const policyRules: readonly Story[] = [
  story("policies that are refused", [
    post(`${validating}?dryRun=All`, { metadata: { name: "{ns}-none" } }),
    post(`${validating}?dryRun=All`, { metadata: { name: "Bad Name" }, spec: { ...match, ...never } }),
    ...policies(
      { matchConstraints: undefined },
      { validations: undefined },
      { validations: [] },
      { failurePolicy: "Maybe" },
      matching({ matchPolicy: "Maybe" }),
      matching({ namespaceSelector: { matchLabels: { "a b": "c" } } }),
      matching({ objectSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } }),
      matching({ resourceRules: [] }),
      matching({
        excludeResourceRules: [
          { operations: ["*", "CREATE"], apiGroups: [], apiVersions: ["*"], resources: ["*"] },
        ],
      }),
      rule({ operations: ["READ"] }),
      rule({ operations: [] }),
      rule({ resources: ["pods/*", "pods/status"] }),
      rule({ resourceNames: ["a/b", "c", "c", ""] }),
      rule({ scope: "Maybe" }),
    ),
  ]),
  story("kinds of parameters that are refused", [
    ...policies(
      { paramKind: {} },
      { paramKind: { apiVersion: "v1" } },
      { paramKind: { apiVersion: "a/b/c", kind: "K" } },
      { paramKind: { apiVersion: "A_b/v1", kind: "K" } },
      { paramKind: { apiVersion: "example.com/", kind: "K" } },
      { paramKind: { apiVersion: "example.com/1v", kind: "K" } },
      { paramKind: { apiVersion: "v1", kind: "Config Map" } },
      { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
      { paramKind: { apiVersion: "nowhere.example.com/v1", kind: "Thing" } },
    ),
  ]),
  story("validations that are refused", [
    ...policies(
      { validations: [{}] },
      expression(" "),
      validation({ message: "  " }),
      validation({ message: "a\nb" }),
      validation({ messageExpression: "  " }),
      validation({ messageExpression: "1" }),
      validation({ messageExpression: "'a' + " }),
      validation({ messageExpression: "authorizer.requestResource.check('get').reason()" }),
      validation({ reason: "Conflict" }),
      { validations: [{ expression: "1" }, { expression: "object.", messageExpression: "x" }] },
    ),
  ]),
  story("expressions that are refused", [
    ...policies(
      ...[
        "object.spec",
        "'text'",
        "nothing",
        "params.a == 'b'",
        "variables.a == 'b'",
        "request.what == ''",
        "request.userInfo.name == ''",
        "request.name == 1",
        "namespaceObject.metadata.uid == ''",
        "namespaceObject.metadata.ownerReferences.size() > 0",
        "namespaceObject.metadata.labels",
        "authorizer.allowed()",
        "authorizer.group('')",
        "authorizer.group('').resource('pods').check('get')",
        "authorizer.group('').resource('pods').check('get').allowed",
        "authorizer.foo == 1",
        "authorizer.path(1).check('get').allowed()",
        "authorizer.serviceAccount('a').group('').resource('b').check('get').allowed()",
        "authorizer.requestResource.check(1).allowed()",
        "Object{}.a == 1",
        "JSONPatch{op: 'add'}.op == 'add'",
        "jsonpatch.escapeKey('a') == 'a'",
        "[object.a, 1].all(x, x)",
        "type(request) == int",
        "duration('x') == duration('1s')",
        "'a'.matches('(')",
        "true &&",
        "object.a.b == 'c'\n  && nothing",
      ].map(expression),
    ),
  ]),
  story("variables of policies", [
    ...policies(
      { variables: [{ name: "", expression: "1" }] },
      { variables: [{ name: "a b", expression: "1" }] },
      { variables: [{ name: "in", expression: "1" }] },
      { variables: [{ name: "a", expression: "" }] },
      { variables: [{ name: "a", expression: "1 +" }] },
      {
        variables: [
          { name: "a", expression: "variables.b" },
          { name: "b", expression: "1" },
        ],
      },
      { variables: [{ name: "a", expression: "variables.a" }] },
      {
        variables: [
          { name: "a", expression: "1" },
          { name: "a", expression: "'text'" },
        ],
        ...expression("variables.a == 1"),
      },
      { variables: [{ name: "a", expression: "nothing" }], ...expression("variables.a == 1") },
      { variables: [{ name: "a", expression: "1" }], ...expression("variables.a == 'a'") },
      { variables: [{ name: "a", expression: "[1]" }], ...expression("variables.a == ['a']") },
      { variables: [{ name: "a", expression: "{'k': 1}" }], ...expression("variables.a.k == 'a'") },
      { variables: [{ name: "a", expression: "quantity('1')" }], ...expression("variables.a == 1") },
      { variables: [{ name: "a", expression: "object.a" }], ...expression("variables.a") },
      { variables: [{ name: "a", expression: "true" }], ...expression("variables.b") },
      {
        variables: [{ name: "a", expression: "true" }],
        matchConditions: [{ name: "a", expression: "variables.a" }],
      },
    ),
  ]),
  story("conditions and annotations of policies", [
    ...policies(
      { matchConditions: [{ name: "", expression: "" }] },
      { matchConditions: [{ name: "a b", expression: "true" }] },
      {
        matchConditions: [
          { name: "a", expression: "1" },
          { name: "a", expression: "true" },
        ],
      },
      { matchConditions: [{ name: "a", expression: "  nothing" }] },
      { matchConditions: [{ name: "a", expression: "params.a == 1" }] },
      {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        matchConditions: [{ name: "a", expression: "params.a == 1" }],
      },
      { auditAnnotations: [{ key: "", valueExpression: "" }] },
      { auditAnnotations: [{ key: "a b", valueExpression: "'a'" }] },
      {
        auditAnnotations: [
          { key: "a", valueExpression: "'a'" },
          { key: "a", valueExpression: "1" },
        ],
      },
      { auditAnnotations: [{ key: "a", valueExpression: " nothing" }], validations: [] },
      { auditAnnotations: [{ key: "a", valueExpression: "object.a" }], validations: [] },
      { auditAnnotations: [{ key: "a", valueExpression: `'${"a".repeat(5121)}'` }] },
    ),
  ]),
  story("bindings that are refused", [
    post(`${validatingBindings}?dryRun=All`, { metadata: { name: "{ns}-none" } }),
    ...bindings(
      { policyName: "" },
      { policyName: "Bad Name" },
      { validationActions: [] },
      { validationActions: ["Deny", "Warn"] },
      { validationActions: ["Deny", "Deny", "Explain"] },
      { paramRef: {} },
      { paramRef: { name: "a/b", parameterNotFoundAction: "Deny" } },
      { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } },
      { paramRef: { selector: { matchLabels: { "a b": "" } }, parameterNotFoundAction: "Allow" } },
      { paramRef: { name: "a", parameterNotFoundAction: "Maybe" } },
      { paramRef: { name: "a", namespace: "b", parameterNotFoundAction: "Deny" } },
      { matchResources: {} },
      { matchResources: { resourceRules: [{}], matchPolicy: "Maybe" } },
    ),
  ]),
  story("updates of policies", [
    post(validating, { metadata: { name: "{ns}-a" }, spec: { ...match, ...never } }),
    merge(`${validating}/{ns}-a`, { spec: expression("1") }),
    merge(`${validating}/{ns}-a`, { spec: expression("true") }),
    merge(`${validating}/{ns}-a`, { status: { observedGeneration: 1 } }),
    merge(`${validating}/{ns}-a/status`, { status: { observedGeneration: 1 } }),
    merge(`${validating}/{ns}-a/status`, {
      status: {
        typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "w" }] },
      },
    }),
    post(validatingBindings, {
      metadata: { name: "{ns}-a" },
      spec: { policyName: "{ns}-a", validationActions: ["Audit"] },
    }),
    merge(`${validatingBindings}/{ns}-a`, { spec: { validationActions: ["Warn", "Deny"] } }),
    ...gone("a"),
  ]),
];
