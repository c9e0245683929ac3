import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { CallOptions } from "./options.ts";

/** An object of a kind known only at run time. */
export interface UnstructuredObject extends KubernetesObject {
  [field: string]: unknown;
}

/** Finds kinds by discovery. Answers are kept; an unknown kind is looked up again, as its CRD may be new. */
export interface RestMapper {
  /** The kind of that name; throws an `ApiError` with `isNotFound` (reason `NoKindMatch`) if the server has none. */
  kindFor(
    gvk: { readonly apiVersion: string; readonly kind: string },
    options?: CallOptions,
  ): Promise<Kind<UnstructuredObject>>;

  /** All kinds that the server prefers, one version each. */
  kinds(options?: CallOptions): Promise<Kind<UnstructuredObject>[]>;

  /** Forgets what was found. */
  reset(): void;
}
