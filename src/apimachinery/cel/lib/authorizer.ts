import { checkLabel, checkSubdomain } from "../../naming/index.ts";
import { type FunctionDecl, method } from "../functions/function.ts";
import { type CelType, objectType, types } from "../types/type.ts";
import { EvalError } from "../values/eval-error.ts";
import { ExtensionValue, type Value } from "../values/value.ts";

/** The attributes of an authorization check, of resources or of a path. */
export interface AccessQuestion {
  readonly verb: string;
  readonly resource?: ResourceQuestion;
  readonly path?: string;
}

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
const pathCheckType = authorizationType("PathCheck");
const groupCheckType = authorizationType("GroupCheck");
const decisionType = authorizationType("Decision");

/** The types of the library, by their names in expressions. */
export const authorizerTypes: readonly CelType[] = [
  authorizerType,
  pathCheckType,
  groupCheckType,
  resourceCheckType,
  decisionType,
];

function authorizationType(name: string): CelType {
  return objectType(`kubernetes.authorization.${name}`);
}

/** A builder of a check: it has methods only. */
class Step<T> extends ExtensionValue {
  readonly celType: CelType;
  readonly content: T;

  constructor(type: CelType, content: T) {
    super();
    this.celType = type;
    this.content = content;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

type Authorizer = Step<AccessOracle>;
type PathCheck = Step<{ oracle: AccessOracle; path: string }>;
type GroupCheck = Step<{ oracle: AccessOracle; group: string }>;
type ResourceCheck = Step<{ oracle: AccessOracle; question: ResourceQuestion }>;
type Decision = Step<AccessDecision>;

/** The value of `authorizer`. */
export function authorizerValue(oracle: AccessOracle): Value {
  return new Step(authorizerType, oracle);
}

/** The value of `authorizer.requestResource`. */
export function resourceCheckValue(oracle: AccessOracle, question: ResourceQuestion): Value {
  return new Step(resourceCheckType, { oracle, question });
}

/** A method that sets an attribute of a resource check. */
function attributeMethod(
  name: string,
  id: string,
  change: (value: string) => Partial<ResourceQuestion>,
): FunctionDecl {
  return method(
    name,
    id,
    [resourceCheckType, types.string],
    resourceCheckType,
    ({ content }: ResourceCheck, value: string) =>
      resourceCheckValue(content.oracle, { ...content.question, ...change(value) }),
  );
}

/** A method that reads a part of a decision. */
function decisionMethod(
  name: string,
  result: CelType,
  read: (decision: AccessDecision) => Value,
): FunctionDecl {
  return method(name, `decision_${name}`, [decisionType], result, ({ content }: Decision) => read(content));
}

function filled(value: string, what: string): string {
  if (value.trim() === "") throw new EvalError(`${what} must not be empty`);
  return value;
}

const anyResource = { subresource: "", namespace: "", name: "" };

/** The functions of the authorizer library. Only admission has an `authorizer` variable. */
export const authorizers: readonly FunctionDecl[] = [
  method(
    "path",
    "authorizer_path",
    [authorizerType, types.string],
    pathCheckType,
    (from: Authorizer, path: string) =>
      new Step(pathCheckType, { oracle: from.content, path: filled(path, "path") }),
  ),
  method(
    "group",
    "authorizer_group",
    [authorizerType, types.string],
    groupCheckType,
    (from: Authorizer, group: string) => new Step(groupCheckType, { oracle: from.content, group }),
  ),
  method(
    "serviceAccount",
    "authorizer_serviceaccount",
    [authorizerType, types.string, types.string],
    authorizerType,
    ({ content }: Authorizer, namespace: string, name: string) => {
      if (checkSubdomain(name).length > 0) throw new EvalError("Invalid service account name");
      if (checkLabel(namespace).length > 0) throw new EvalError("Invalid service account namespace");
      return authorizerValue(content.serviceAccount(namespace, name));
    },
  ),
  method(
    "resource",
    "groupcheck_resource",
    [groupCheckType, types.string],
    resourceCheckType,
    ({ content }: GroupCheck, resource: string) =>
      resourceCheckValue(content.oracle, {
        group: content.group,
        resource: filled(resource, "resource"),
        ...anyResource,
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
    [pathCheckType, types.string],
    decisionType,
    ({ content }: PathCheck, verb: string) =>
      new Step(decisionType, content.oracle.decide({ verb, path: content.path })),
  ),
  method(
    "check",
    "resourcecheck_check",
    [resourceCheckType, types.string],
    decisionType,
    ({ content }: ResourceCheck, verb: string) =>
      new Step(decisionType, content.oracle.decide({ verb, resource: content.question })),
  ),
  decisionMethod("errored", types.bool, ({ error }) => error !== undefined),
  decisionMethod("error", types.string, ({ error = "" }) => error),
  decisionMethod("allowed", types.bool, ({ allowed }) => allowed),
  decisionMethod("reason", types.string, ({ reason }) => reason),
];
