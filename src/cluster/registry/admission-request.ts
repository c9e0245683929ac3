import type { ApiObject } from "../contract/api-object.ts";
import type { WriteRequest } from "./api-request.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A write as admission plugins see it. The objects are in the request's version. */
export interface AdmissionRequest extends WriteRequest {
  readonly operation: Operation;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** The admission of writes: first mutation, then, after defaults and validation, validation by plugins. A denial is thrown. */
export interface Admission {
  /** Returns the mutated object. */
  mutate(request: AdmissionRequest): Promise<ApiObject | undefined>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** The namespace of a request. The namespace of a Namespace is itself. */
export function requestNamespace({ resource, namespace, name }: AdmissionRequest): string {
  return resource.group === "" && resource.plural === "namespaces" ? name : namespace;
}
