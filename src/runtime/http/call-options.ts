/** What every call takes. */
export interface CallOptions {
  /** Ends the call. Without it, a call inherits the signal of the reconcile it is made in. */
  readonly signal?: AbortSignal | undefined;
}
