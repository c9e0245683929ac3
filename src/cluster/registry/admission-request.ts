import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./api-request.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What is about to happen, as the admission chain sees it. Objects are in the request's version. */
export interface AdmissionRequest extends WriteRequest {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** What every write passes: mutations first, then, after defaults and validation, the checks. A refusal is thrown. */
export interface Admission {
  /** Returns the object that goes on. */
  mutate(request: AdmissionRequest): Promise<ApiObject | undefined>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** The namespace of a request: a Namespace counts as being in itself. */
export function requestNamespace({ resource, namespace, name }: AdmissionRequest): string {
  return resource.group === "" && resource.plural === "namespaces" ? name : namespace;
}
