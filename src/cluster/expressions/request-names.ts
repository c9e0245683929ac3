import { authorizerValue, fromJSON, resourceCheckValue, type Value } from "@tsbuilder/apimachinery/cel";
import type { Authorizer } from "../contract/authorizer.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { type AdmissionRequest, requestNamespace } from "../registry/admission-request.ts";
import { accessOracle } from "./access-oracle.ts";
import { requestMap } from "./request-map.ts";
import type { Names } from "./run-expression.ts";

/** What expressions about a request can read, besides the request. */
export interface RequestSurroundings {
  readonly authorizer: Authorizer;
  /** The version in which a rule has matched, with the objects of the request in that version. */
  readonly version: string;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly namespace?: ApiObject | undefined;
  readonly params?: ApiObject | undefined;
}

/** Looks names up for the expressions of one request. Most look at one of them, so each is made when it is read. */
export function requestNames(request: AdmissionRequest, surroundings: RequestSurroundings): Names {
  const known = new Map<string, Value | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, read(name, request, surroundings));
    return known.get(name);
  };
}

function read(
  name: string,
  request: AdmissionRequest,
  { authorizer, version, object, oldObject, namespace, params }: RequestSurroundings,
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
      const { resource, subresource, name: which } = request;
      const question = { group: resource.group, resource: resource.plural, subresource };
      const asked = { ...question, namespace: requestNamespace(request), name: which };
      return resourceCheckValue(accessOracle(authorizer, request.user), asked);
    }
    default:
      return undefined;
  }
}

/** An object of the request in the version that is asked for. */
export async function objectInVersion(
  object: ApiObject | undefined,
  { resource, version }: AdmissionRequest,
  wanted: string,
): Promise<ApiObject | undefined> {
  const isItself = object?.kind === resource.kind;
  return object && isItself && version !== wanted ? resource.convert(object, wanted) : object;
}
