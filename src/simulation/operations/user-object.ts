/** An object as a user writes it: without status, and without the metadata that servers set. */
export interface UserObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}
