import { checkLabel, checkSubdomain } from "../../naming/index.ts";
import { type FunctionDecl, type TypeOf, method, typed } from "../functions/function.ts";
import { type CelType, objectType } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { Boxed, type Value } from "../values/value.ts";

/** The attributes of an authorization check: a verb, and either a resource or a path. */
export interface AccessQuestion {
  readonly verb: string;
  readonly resource?: ResourceQuestion;
  readonly path?: string;
}

/** The resource of an authorization check; empty strings for all subresources, namespaces or names. */
export interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The decision and its reason; `error` if the check failed. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Authorizes the user of the request, or a service account. */
export interface AccessOracle {
  decide(question: AccessQuestion): AccessDecision;
  serviceAccount(namespace: string, name: string): AccessOracle;
}

/** The type of the variable `authorizer`. */
export const authorizerType = authorizationType("Authorizer");
/** The type of a check of a resource: of `authorizer.group(...).resource(...)`. */
export const resourceCheckType = authorizationType("ResourceCheck");
const authorizer: TypeOf<AuthzValue<AccessOracle>> = authorizerType;
const resourceCheck: TypeOf<AuthzValue<{ oracle: AccessOracle; question: ResourceQuestion }>> =
  resourceCheckType;
const pathCheck: TypeOf<AuthzValue<{ oracle: AccessOracle; path: string }>> = authorizationType("PathCheck");
const groupCheck: TypeOf<AuthzValue<{ oracle: AccessOracle; group: string }>> =
  authorizationType("GroupCheck");
const decision: TypeOf<AuthzValue<AccessDecision>> = authorizationType("Decision");

/** The types of the library, by their names in expressions. */
export const authorizerTypes: readonly CelType[] = [
  authorizer,
  pathCheck,
  groupCheck,
  resourceCheck,
  decision,
];

function authorizationType(name: string): CelType {
  return objectType(`kubernetes.authorization.${name}`);
}

/** A value of the library: `authorizer`, an unfinished check, or a decision. It has methods only. */
class AuthzValue<T> extends Boxed<T> {
  readonly celType: CelType;

  constructor(type: CelType, content: T) {
    super(content);
    this.celType = type;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

/** The value of `authorizer`. */
export function authorizerValue(oracle: AccessOracle): Value {
  return new AuthzValue(authorizerType, oracle);
}

/** The value of `authorizer.requestResource`. */
export function resourceCheckValue(oracle: AccessOracle, question: ResourceQuestion): Value {
  return new AuthzValue(resourceCheckType, { oracle, question });
}

const { bool, string } = typed;

/** The functions of the authorizer library. Only admission has an `authorizer` variable. */
export const authorizers: readonly FunctionDecl[] = [
  method(
    "path",
    "authorizer_path",
    [authorizer, string],
    pathCheck,
    (from, path) => new AuthzValue(pathCheck, { oracle: from.content, path: nonEmpty(path, "path") }),
  ),
  method(
    "group",
    "authorizer_group",
    [authorizer, string],
    groupCheck,
    (from, group) => new AuthzValue(groupCheck, { oracle: from.content, group }),
  ),
  method(
    "serviceAccount",
    "authorizer_serviceaccount",
    [authorizer, string, string],
    authorizer,
    ({ content }, namespace, name) => {
      if (checkSubdomain(name).length > 0) throw new EvalError("Invalid service account name");
      if (checkLabel(namespace).length > 0) throw new EvalError("Invalid service account namespace");
      return authorizerValue(content.serviceAccount(namespace, name));
    },
  ),
  method("resource", "groupcheck_resource", [groupCheck, string], resourceCheck, ({ content }, resource) =>
    resourceCheckValue(content.oracle, {
      group: content.group,
      resource: nonEmpty(resource, "resource"),
      subresource: "",
      namespace: "",
      name: "",
    }),
  ),
  attributeMethod("subresource", "resourcecheck_subresource", (subresource) => ({ subresource })),
  attributeMethod("namespace", "resourcecheck_namespace", (namespace) => ({ namespace })),
  attributeMethod("name", "resourcecheck_name", (name) => ({ name })),
  // RBAC ignores selectors.
  attributeMethod("fieldSelector", "authorizer_fieldselector", () => ({})),
  attributeMethod("labelSelector", "authorizer_labelselector", () => ({})),
  method(
    "check",
    "pathcheck_check",
    [pathCheck, string],
    decision,
    ({ content }, verb) => new AuthzValue(decision, content.oracle.decide({ verb, path: content.path })),
  ),
  method(
    "check",
    "resourcecheck_check",
    [resourceCheck, string],
    decision,
    ({ content }, verb) =>
      new AuthzValue(decision, content.oracle.decide({ verb, resource: content.question })),
  ),
  decisionMethod("errored", bool, ({ error }) => error !== undefined),
  decisionMethod("error", string, ({ error = "" }) => error),
  decisionMethod("allowed", bool, ({ allowed }) => allowed),
  decisionMethod("reason", string, ({ reason }) => reason),
];

/** A method that sets an attribute of a resource check. */
function attributeMethod(
  name: string,
  id: string,
  change: (value: string) => Partial<ResourceQuestion>,
): FunctionDecl {
  return method(name, id, [resourceCheck, string], resourceCheck, ({ content }, value) =>
    resourceCheckValue(content.oracle, { ...content.question, ...change(value) }),
  );
}

function decisionMethod(
  name: string,
  result: CelType,
  read: (content: AccessDecision) => Value,
): FunctionDecl {
  return method(name, `decision_${name}`, [decision], result, ({ content }) => read(content));
}

function nonEmpty(value: string, what: string): string {
  if (value.trim() === "") throw new EvalError(`${what} must not be empty`);
  return value;
}
