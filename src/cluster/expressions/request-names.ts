import type { AccessOracle, AccessQuestion, Value } from "@tsbuilder/apimachinery/cel";
import { authorizerValue, fromJSON, resourceCheckValue } from "@tsbuilder/apimachinery/cel";
import { type Authorizer, pathAttributes, resourceAttributes } from "../contract/authorizer.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { type AdmissionRequest, requestNamespace } from "../registry/core.ts";
import type { Names } from "./expression.ts";
import { type User, serviceAccountUser, userInfo } from "../contract/user.ts";

/** The values that expressions can read besides the request. */
interface ExpressionInputs {
  readonly authorizer: Authorizer;
  /** The version that a rule matches; the objects are in this version. */
  readonly version: string;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly namespace?: ApiObject | undefined;
  readonly params?: ApiObject | undefined;
}

/** The variables of a request's expressions. Each is created when it is first read: most expressions read only one. */
export function requestNames(request: AdmissionRequest, inputs: ExpressionInputs): Names {
  const values = new Map<string, Value | undefined>();
  return (name) => {
    if (!values.has(name)) values.set(name, readVariable(name, request, inputs));
    return values.get(name);
  };
}

function readVariable(
  name: string,
  request: AdmissionRequest,
  { authorizer, version, object, oldObject, namespace, params }: ExpressionInputs,
): Value | undefined {
  switch (name) {
    case "object":
      return fromJSON(object);
    case "oldObject":
      return fromJSON(oldObject);
    case "namespaceObject":
      return fromJSON(namespace);
    case "params":
      return fromJSON(params);
    case "request":
      return fromJSON(requestMap(request, version));
    case "authorizer":
      return authorizerValue(accessOracle(authorizer, request.user));
    case "authorizer.requestResource": {
      const { resource, subresource, name: objectName } = request;
      const target = { group: resource.group, resource: resource.plural, subresource };
      const check = { ...target, namespace: requestNamespace(request), name: objectName };
      return resourceCheckValue(accessOracle(authorizer, request.user), check);
    }
    default:
      return undefined;
  }
}

/** The request as expressions and webhooks see it, without empty fields, in the version that a rule matches. */
export function requestMap(request: AdmissionRequest, version: string): Record<string, unknown> {
  const { resource, operation, subresource, name, dryRun, options, user } = request;
  const namespace = requestNamespace(request);
  const { group, plural } = resource;
  return {
    kind: kindOf(request, version),
    resource: { group, version, resource: plural },
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: kindOf(request, request.version),
    requestResource: { group, version: request.version, resource: plural },
    ...(subresource !== "" && { requestSubResource: subresource }),
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: Object.keys(options).length > 0 ? options : null,
  };
}

/** The kind of the request's body, which differs for some subresources. */
function kindOf({ resource, subresource }: AdmissionRequest, version: string) {
  const { body } = resource.subresources.get(subresource) ?? {};
  return body ?? { group: resource.group, version, kind: resource.kind };
}

/** Answers the authorization checks of CEL expressions for one user. */
function accessOracle(authorizer: Authorizer, user: User): AccessOracle {
  return {
    decide: (question) => authorizer.decide(user, attributesOf(question)),
    serviceAccount: (namespace, name) => accessOracle(authorizer, serviceAccountUser(namespace, name)),
  };
}

function attributesOf({ verb, resource, path = "" }: AccessQuestion) {
  return resource ? resourceAttributes({ ...resource, verb, version: "*" }) : pathAttributes(verb, path);
}

/** Converts an object of a request to a version. An object of another kind, such as a Scale, stays as it is. */
export async function objectInVersion(
  object: ApiObject | undefined,
  { resource, version }: AdmissionRequest,
  targetVersion: string,
): Promise<ApiObject | undefined> {
  if (object?.kind !== resource.kind || version === targetVersion) return object;
  return resource.convert(object, targetVersion);
}

/** Converts the object and the old object of a request to a version. */
export function objectsInVersion(request: AdmissionRequest, version: string) {
  const { object, oldObject } = request;
  return Promise.all([
    objectInVersion(object, request, version),
    objectInVersion(oldObject, request, version),
  ]);
}
