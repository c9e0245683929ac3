import type { int32 } from "../json/index.ts";
import type { ListMeta, TypeMeta } from "./object.ts";

/** One of several causes of a failure, for example one invalid field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** What a failure is about; `kind` is a resource's plural name where the object was not found. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: int32;
}

/** What the API server answers when it has no object to give: most often an error. */
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
