import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import { checkLabel1035, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { duplicate, invalid, notSupported, required, tooMany } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../../../storage/api-object.ts";
import { selectorProblems } from "./checks/label-selector.ts";
import { optionalChoice, type Problems, refused } from "./checks/problems.ts";
import { webhookClient, type WebhookClientConfig } from "./checks/webhook-client.ts";

interface Webhook {
  name?: string;
  rules?: Rule[];
  failurePolicy?: string;
  matchPolicy?: string;
  sideEffects?: string;
  timeoutSeconds?: number;
  reinvocationPolicy?: string;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  clientConfig?: WebhookClientConfig;
  admissionReviewVersions?: string[];
  matchConditions?: Array<{ name?: string; expression?: string }>;
}

interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

/** Checks the configuration of admission webhooks of either kind. */
export function* webhookProblems(object: ApiObject): Problems {
  const names = new Set<string>();
  for (const [index, webhook] of ((object["webhooks"] ?? []) as Webhook[]).entries()) {
    const field = `webhooks[${index}]`;
    const { name = "" } = webhook;
    yield* webhookFields(field, webhook);
    yield* reviewVersions(`${field}.admissionReviewVersions`, webhook.admissionReviewVersions ?? []);
    if (names.has(name) && name !== "") yield duplicate(`${field}.name`, name);
    names.add(name);
  }
}

const sideEffects = ["None", "NoneOnDryRun"];

function* webhookFields(field: string, webhook: Webhook): Problems {
  yield* qualifiedName(`${field}.name`, webhook.name ?? "");
  for (const [index, rule] of (webhook.rules ?? []).entries()) {
    yield* ruleProblems(`${field}.rules[${index}]`, rule);
  }
  yield* optionalChoice(`${field}.failurePolicy`, webhook.failurePolicy, ["Fail", "Ignore"]);
  yield* optionalChoice(`${field}.matchPolicy`, webhook.matchPolicy, ["Equivalent", "Exact"]);
  if (webhook.sideEffects === undefined) {
    yield required(`${field}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`);
  } else yield* optionalChoice(`${field}.sideEffects`, webhook.sideEffects, sideEffects);
  const { timeoutSeconds: seconds } = webhook;
  if (seconds !== undefined && (seconds < 1 || seconds > 30)) {
    yield invalid(`${field}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds");
  }
  yield* selectorProblems(`${field}.namespaceSelector`, webhook.namespaceSelector);
  yield* selectorProblems(`${field}.objectSelector`, webhook.objectSelector);
  yield* optionalChoice(`${field}.reinvocationPolicy`, webhook.reinvocationPolicy, ["IfNeeded", "Never"]);
  yield* webhookClient(`${field}.clientConfig`, webhook.clientConfig ?? {});
  yield* matchConditions(`${field}.matchConditions`, webhook.matchConditions ?? []);
}

/** Names of webhooks say whose they are: `validate.mysql.example.com`. */
function* qualifiedName(field: string, name: string): Problems {
  if (name === "") return yield required(field);
  const reasons = checkSubdomain(name);
  if (reasons.length > 0) yield invalid(field, name, reasons.join(","));
  else if (name.split(".").length < 3) {
    yield invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

function* ruleProblems(field: string, rule: Rule): Problems {
  const { operations: verbs = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  if (verbs.length === 0) yield required(`${field}.operations`);
  yield* alone(`${field}.operations`, verbs, "operations");
  for (const [index, verb] of verbs.entries()) {
    if (!operations.includes(verb)) yield notSupported(`${field}.operations[${index}]`, verb, operations);
  }
  if (apiGroups.length === 0) yield required(`${field}.apiGroups`);
  yield* alone(`${field}.apiGroups`, apiGroups, "API groups");
  if (apiVersions.length === 0) yield required(`${field}.apiVersions`);
  yield* alone(`${field}.apiVersions`, apiVersions, "API versions");
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") yield required(`${field}.apiVersions[${index}]`);
  }
  yield* resourceNames(`${field}.resources`, resources);
  yield* optionalChoice(`${field}.scope`, rule.scope, ["*", "Cluster", "Namespaced"]);
}

/** Who wants everything needs no list. */
function* alone(field: string, list: readonly string[], what: string): Problems {
  if (list.length < 2 || !list.includes("*")) return;
  yield invalid(field, list, `if '*' is present, must not specify other ${what}`);
}

function* resourceNames(field: string, list: readonly string[]): Problems {
  if (list.length === 0) yield required(field);
  const withAllParts = new Set<string>();
  const partOfAll = new Set<string>();
  for (const [index, name] of list.entries()) {
    const at = `${field}[${index}]`;
    if (name === "") yield required(at);
    const [resource = "", ...rest] = name.split("/");
    if (rest.length === 0) continue;
    const part = rest.join("/");
    if (withAllParts.has(resource)) {
      yield invalid(at, name, `if '${resource}/*' is present, must not specify ${name}`);
    }
    if (partOfAll.has(part)) yield invalid(at, name, `if '*/${part}' is present, must not specify ${name}`);
    if (part === "*") withAllParts.add(resource);
    if (resource === "*") partOfAll.add(part);
  }
  if (list.length > 1 && list.includes("*/*")) {
    yield invalid(field, list, "if '*/*' is present, must not specify other resources");
  }
  // The server looks at the last of the plain names only.
  const last = list.findLast((name) => name !== "" && !name.includes("/"));
  if (list.includes("*") && last !== undefined && last !== "*") {
    const detail = "if '*' is present, must not specify other resources without subresources";
    yield invalid(field, list, detail);
  }
}

const conditionLimit = 64;

function* matchConditions(field: string, list: NonNullable<Webhook["matchConditions"]>): Problems {
  if (list.length > conditionLimit) yield tooMany(field, list.length, conditionLimit);
  const names = new Set<string>();
  for (const [index, { name = "", expression = "" }] of list.entries()) {
    const at = `${field}[${index}]`;
    if (expression.trim() === "") yield required(`${at}.expression`);
    if (name === "") yield required(`${at}.name`);
    else {
      yield* refused(`${at}.name`, name, checkQualifiedName(name));
      if (names.has(name)) yield duplicate(`${at}.name`, name);
    }
    names.add(name);
  }
}

const versions = ["v1", "v1beta1"];

function* reviewVersions(field: string, list: readonly string[]): Problems {
  if (list.length === 0) return yield required(field, `must specify one of ${versions.join(", ")}`);
  for (const [index, version] of list.entries()) {
    if (list.indexOf(version) < index) yield invalid(`${field}[${index}]`, version, "duplicate version");
    else yield* refused(`${field}[${index}]`, version, checkLabel1035(version));
  }
  if (!list.some((version) => versions.includes(version))) {
    yield invalid(field, list, `must include at least one of ${versions.join(", ")}`);
  }
}
