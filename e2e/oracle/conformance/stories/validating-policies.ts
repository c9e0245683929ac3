import { merge, post, put, remove, type Story, story } from "../story.ts";
import {
  configMaps,
  type Fields,
  gone,
  inForce,
  ownNamespace,
  policy,
  policyFor,
  tryConfigMap,
} from "./policy-cases.ts";

const small = "int(object.data.size) < 3";

/** One policy for each ConfigMap, and its message. */
const refusals: Readonly<Record<string, Fields>> = {
  plain: { validations: [{ expression: small }] },
  message: { validations: [{ expression: small, message: " too big " }] },
  made: {
    validations: [{ expression: small, message: "too big", messageExpression: "'size ' + object.data.size" }],
  },
  unmade: {
    validations: [{ expression: small, message: "too big", messageExpression: "object.data.none" }],
  },
  blank: { validations: [{ expression: small, messageExpression: "'  '" }] },
  lines: { validations: [{ expression: small, message: "too big", messageExpression: "'a\\nb'" }] },
  forbidden: { validations: [{ expression: "false", reason: "Forbidden", message: "never" }] },
  large: { validations: [{ expression: "false", reason: "RequestEntityTooLarge", message: "never" }] },
  second: { validations: [{ expression: "true" }, { expression: "false", message: "the second" }] },
  missing: { validations: [{ expression: "object.data.none == 'a'" }] },
  ignored: { failurePolicy: "Ignore", validations: [{ expression: "object.data.none == 'a'" }] },
  "ignored-not": {
    failurePolicy: "Ignore",
    validations: [{ expression: "object.data.none == 'a'" }, { expression: "false" }],
  },
  either: { validations: [{ expression: "object.data.none == 'a' || true" }] },
  number: { validations: [{ expression: "object.data.size > 2" }] },
  unmatched: {
    matchConditions: [{ name: "never", expression: "false" }],
    validations: [{ expression: "false" }],
  },
  "unmatched-error": {
    matchConditions: [
      { name: "error", expression: "object.data.none == 'a'" },
      { name: "never", expression: "false" },
    ],
    validations: [{ expression: "false" }],
  },
  "match-error": {
    matchConditions: [
      { name: "always", expression: "true" },
      { name: "error", expression: "object.data.none == 'a'" },
      { name: "again", expression: "object.data.nothing == 'a'" },
    ],
    validations: [{ expression: "false" }],
  },
  "match-ignored": {
    failurePolicy: "Ignore",
    matchConditions: [{ name: "error", expression: "object.data.none == 'a'" }],
    validations: [{ expression: "false" }],
  },
  variables: {
    variables: [
      { name: "size", expression: "int(object.data.size)" },
      { name: "twice", expression: "variables.size * 2" },
    ],
    validations: [
      { expression: "variables.twice == 6" },
      { expression: "variables.twice < 6", messageExpression: "'twice is ' + string(variables.twice)" },
    ],
  },
  "variable-error": {
    variables: [{ name: "none", expression: "object.data.none" }],
    validations: [{ expression: "variables.none == 'a'" }],
  },
  "variable-unused": {
    variables: [{ name: "none", expression: "object.data.none" }],
    validations: [{ expression: "true" }],
  },
  annotation: {
    auditAnnotations: [
      { key: "good", valueExpression: "'size ' + object.data.size" },
      { key: "null", valueExpression: "null" },
    ],
  },
  "annotation-error": { auditAnnotations: [{ key: "bad", valueExpression: "string(object.data.none)" }] },
  costly: {
    validations: [
      {
        expression:
          "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, true)))))",
      },
    ],
  },
};

const names = Object.keys(refusals);
const path = "/api/v1/namespaces/{ns}/configmaps";
const both = { namespaceSelector: ownNamespace };

export const validatingPolicies: readonly Story[] = [
  story("what policies say to an object", [
    ...names.flatMap((name) => policyFor(name, refusals[name]!)),
    ...inForce(),
    ...names.map((name) => tryConfigMap(name)),
    tryConfigMap("unnamed"),
    ...gone(...names),
  ]),
  story("what becomes of an objection", [
    ...policyFor(
      "warn",
      { validations: [{ expression: "false", message: "first" }, { expression: "object.data.none == ''" }] },
      { validationActions: ["Warn"] },
    ),
    ...policyFor("audit", { validations: [{ expression: "false" }] }, { validationActions: ["Audit"] }),
    ...policyFor(
      "deny-audit",
      { validations: [{ expression: "false" }] },
      { validationActions: ["Audit", "Deny"] },
    ),
    ...policyFor(
      "warn-annotation",
      { auditAnnotations: [{ key: "bad", valueExpression: "string(object.data.none)" }] },
      { validationActions: ["Warn"] },
    ),
    ...inForce(),
    ...["warn", "audit", "deny-audit", "warn-annotation"].map((name) => tryConfigMap(name)),
    ...gone("warn", "audit", "deny-audit", "warn-annotation"),
  ]),
  story("policies on updates and deletions", [
    post(path, { metadata: { name: "a" }, data: { size: "1" } }),
    ...policy("update", {
      matchConstraints: {
        ...both,
        resourceRules: [{ ...configMaps, operations: ["UPDATE"], resourceNames: ["a"] }],
      },
      validations: [
        {
          expression: "oldObject.data.size == object.data.size",
          messageExpression: "oldObject.data.size + ' to ' + object.data.size",
        },
      ],
    }),
    ...policy("delete", {
      matchConstraints: { ...both, resourceRules: [{ ...configMaps, operations: ["DELETE"] }] },
      validations: [
        {
          expression: "object != null || oldObject.data.size == '2'",
          messageExpression: "request.operation + ' of ' + request.name + ' with ' + oldObject.data.size",
        },
      ],
    }),
    ...inForce(),
    merge(`${path}/a`, { data: { size: "2" } }),
    merge(`${path}/a`, { metadata: { labels: { a: "b" } } }),
    put(`${path}/a`, { metadata: { name: "a" }, data: { size: "3" } }),
    remove(`${path}/a`),
    remove(path),
    ...gone("update", "delete"),
    { ...remove(`${path}/a`), until: 200 },
  ]),
];
