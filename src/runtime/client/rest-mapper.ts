import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { CallOptions } from "./options.ts";

/** An object of a kind that is known only at run time. */
export interface UnstructuredObject extends KubernetesObject {
  [field: string]: unknown;
}

/** Finds kinds by discovery. Results are cached; an unknown kind is looked up again, because its CRD may be new. */
export interface RestMapper {
  /**
   * The kind of that name; throws an `ApiError` with `isNotFound` (reason `NoKindMatch`) if the server doesn't have it.
   */
  kindFor(
    gvk: { readonly apiVersion: string; readonly kind: string },
    options?: CallOptions,
  ): Promise<Kind<UnstructuredObject>>;

  /** All kinds of the server, each in its preferred version. */
  kinds(options?: CallOptions): Promise<Kind<UnstructuredObject>[]>;

  /** Clears the cached results. */
  reset(): void;
}
