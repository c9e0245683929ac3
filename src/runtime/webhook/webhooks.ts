import type { KubernetesObject, ObjectMeta, Status } from "@tsbuilder/apimachinery/meta";
import type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
import type { WithUndefined } from "../client/client.ts";
import type { Logger } from "../log/logger.ts";

/**
 * Sets defaults. `object` is a draft: change it. Only the difference is sent, so fields that this program doesn't know
 * are kept. Throwing rejects the object as in a `Validator`. Not called for deletions.
 */
export interface Defaulter<T extends KubernetesObject> {
  default(object: T, context: AdmissionContext): Promise<void> | void;
}

/**
 * Accepts or rejects an object. Returns the invalid fields: with one or more, the request is rejected with 422 Invalid.
 * Throwing rejects it too: an `ApiError` with its own status, any other error with 403 and its message. Only a
 * programming error (`TypeError`, `RangeError`, …) results in a 500 without its message.
 */
export interface Validator<T extends KubernetesObject> {
  validateCreate?(object: T, context: AdmissionContext): ValidationResult;
  validateUpdate?(object: T, oldObject: T, context: AdmissionContext): ValidationResult;
  validateDelete?(object: T, context: AdmissionContext): ValidationResult;
}

/** Nothing, or the invalid fields. */
export type ValidationResult = readonly InvalidField[] | void | Promise<readonly InvalidField[] | void>;

/** An error of one field. */
export interface InvalidField {
  /** `spec.ports[0].name` */
  readonly field: string;
  /** The expectation that the value violates: `must be at least 1`. */
  readonly message: string;
  /** The invalid value; omit it if there is none, or if it is confidential. */
  readonly value?: unknown;
  /** Default: `Invalid`. */
  readonly reason?:
    | "Invalid"
    | "Required"
    | "Duplicate"
    | "NotSupported"
    | "Forbidden"
    | "TooLong"
    | undefined;
}

/** The last argument of an admission call. */
export interface AdmissionContext<Body extends object = KubernetesObject> {
  /** Shows a warning to the user, with any verdict. Up to 120 characters are shown in full. */
  readonly warn: (text: string) => void;
  readonly request: AdmissionRequest<Body>;
  readonly log: Logger;
  /** Aborted when the API server stops waiting. */
  readonly signal: AbortSignal;
}

/** The admission request of the API server. */
export interface AdmissionRequest<Body extends object = KubernetesObject> {
  readonly uid: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string | undefined;
  /** The kind of the original request, if the webhook's rules match it in another version. */
  readonly requestKind?: AdmissionRequest["kind"] | undefined;
  readonly requestResource?: AdmissionRequest["resource"] | undefined;
  readonly requestSubResource?: string | undefined;
  /** Empty while the server has not generated a name from `generateName`. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userInfo: {
    readonly username?: string | undefined;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: { readonly [name: string]: readonly string[] } | undefined;
  };
  /** Nothing will be stored: don't cause side effects. */
  readonly dryRun?: boolean | undefined;
  readonly object?: Body | null | undefined;
  readonly oldObject?: Body | null | undefined;
  readonly options?: unknown;
}

/**
 * Converts a version of a kind (the spoke) to the one that the controllers use (the hub), and back. It must preserve what
 * one version has no field for, usually in an annotation. apiVersion, kind and omitted metadata are set automatically.
 */
export interface Conversion<Hub extends KubernetesObject, Spoke extends KubernetesObject> {
  toHub(spoke: Spoke): ConvertedObject<Hub>;
  fromHub(hub: Hub): ConvertedObject<Spoke>;
}

/** A converted object. The API server allows changes only to labels and annotations in the metadata. */
export type ConvertedObject<T extends KubernetesObject> = WithUndefined<
  Omit<T, "apiVersion" | "kind" | "metadata">
> & {
  metadata?: ObjectMeta | undefined;
};

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

/** The decision of an `AdmissionWebhook`. */
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
