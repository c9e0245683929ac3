import type { int32 } from "../json/index.ts";
import type { ListMeta, TypeMeta } from "./object.ts";

/** One of several causes of a failure, for example one invalid field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The object of a failure and its causes; `kind` is the plural name of the resource if the object was not found. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: int32;
}

/** The response of the API server if it returns no object: usually an error. */
export interface Status extends TypeMeta {
  apiVersion: "v1";
  kind: "Status";
  metadata: ListMeta;
  status?: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: int32;
}
