import type { KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
import type { AdmissionContext, AdmissionRequest } from "./webhooks.ts";

/**
 * Decides about admission requests of any kind, subresource and operation, with the request as the API server sent it.
 * `Body` is the type of its objects: for CONNECT the options, such as PodExecOptions, which have no metadata.
 *
 * Returning nothing admits the request. Throwing rejects it as in a `Validator`: an `ApiError` with its own status, any
 * other error with 403 and its message. A programming error results in a 500 without its message.
 */
export type AdmissionWebhook<Body extends object = KubernetesObject> = (
  request: AdmissionRequest<Body>,
  context: AdmissionContext<Body>,
) => AdmissionDecision | void | Promise<AdmissionDecision | void>;

/** What a webhook decided. */
export interface AdmissionDecision {
  /** Default: true. */
  readonly allowed?: boolean | undefined;
  /** The status of a rejection; at least its `message`. Default: 403 Forbidden. */
  readonly status?: Partial<Status> | undefined;
  /** The changed object, for mutating webhooks: the difference is sent. It may be the request's own, edited. */
  readonly object?: object | undefined;
  /** The changes, for mutating webhooks, instead of `object`. */
  readonly patch?: readonly JSONPatchOperation[] | undefined;
  /** For the audit log of the API server, which prefixes the keys with the name of the webhook. */
  readonly auditAnnotations?: { readonly [key: string]: string } | undefined;
}
