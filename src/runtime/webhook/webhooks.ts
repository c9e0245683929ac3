import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { Logger } from "../log/logger.ts";

/**
 * Fills in what an object leaves out. `object` is a draft: change it. Only what changed is sent back, as a patch
 * against the object as it came, so fields that this program doesn't know survive. Throwing refuses the object as for
 * a `Validator`. Not called for deletions.
 */
export interface Defaulter<T extends KubernetesObject> {
  default(object: T, context: AdmissionContext): Promise<void> | void;
}

/**
 * Accepts or refuses an object. Returns the fields that are wrong: with one or more the request is refused with 422
 * Invalid. Throwing refuses too: an `ApiError` with its own status, any other error with 403 and its message; only a
 * programming error (`TypeError`, `RangeError`, …) is answered with 500 and without its text.
 */
export interface Validator<T extends KubernetesObject> {
  validateCreate?(object: T, context: AdmissionContext): Verdict;
  validateUpdate?(object: T, oldObject: T, context: AdmissionContext): Verdict;
  validateDelete?(object: T, context: AdmissionContext): Verdict;
}

/** Nothing, or the fields that are wrong. */
// biome-ignore lint/suspicious/noConfusingVoidType: a validator that has nothing to say returns nothing.
export type Verdict = readonly InvalidField[] | void | Promise<readonly InvalidField[] | void>;

/** What is wrong with one field. */
export interface InvalidField {
  /** `spec.ports[0].name` */
  readonly field: string;
  /** What is expected of it. */
  readonly message: string;
  /** The value that is wrong; left out where there is none, or nobody should read it. */
  readonly value?: unknown;
  /** `Invalid` unless said otherwise. */
  readonly reason?:
    | "Invalid"
    | "Required"
    | "Duplicate"
    | "NotSupported"
    | "Forbidden"
    | "TooLong"
    | undefined;
}

/** What an admission call works with. */
export interface AdmissionContext {
  /** Shows a warning to the user, whatever the verdict. Below 120 characters they are shown in full. */
  readonly warn: (text: string) => void;
  readonly request: AdmissionRequest;
  readonly log: Logger;
  /** Aborted when the API server no longer waits. */
  readonly signal: AbortSignal;
}

/** What the API server asks. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string | undefined;
  /** Empty while the server has yet to choose a name from `generateName`. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly userInfo: {
    readonly username?: string | undefined;
    readonly uid?: string | undefined;
    readonly groups?: readonly string[] | undefined;
    readonly extra?: { readonly [name: string]: readonly string[] } | undefined;
  };
  /** Nothing will be stored: don't change anything elsewhere. */
  readonly dryRun?: boolean | undefined;
  readonly object?: KubernetesObject | null | undefined;
  readonly oldObject?: KubernetesObject | null | undefined;
  readonly options?: unknown;
}

/**
 * Turns a version of a kind (the spoke) into the one that the controllers work with (the hub), and back. What one
 * version has no field for is kept by the conversion, most often in an annotation. apiVersion and kind are filled in,
 * and metadata where it is left out.
 */
export interface Conversion<Hub extends KubernetesObject, Spoke extends KubernetesObject> {
  toHub(spoke: Spoke): Converted<Hub>;
  fromHub(hub: Hub): Converted<Spoke>;
}

/** A converted object. The API server lets only labels and annotations of the metadata change. */
export type Converted<T extends KubernetesObject> = Omit<T, "apiVersion" | "kind" | "metadata"> & {
  metadata?: ObjectMeta | undefined;
};
