/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. Default: the signal of the reconcile that makes it. */
  readonly signal?: AbortSignal | undefined;
}
