import { currentScope, runInScope } from "./scope.ts";

/** A `Warning` header of the server: a deprecated version, an unknown field, a policy that would deny the request. */
export interface ApiWarning {
  readonly text: string;
  /** The request that caused it, as `PATCH /api/v1/…`. */
  readonly request: string;
}

/** What client calls inherit from the code around them. */
export interface CallContext {
  /** Aborts the calls together with the reconcile that made them. */
  readonly signal?: AbortSignal | undefined;
  /** Throws if the code may not write any more. Called before each attempt. */
  readonly assertMayWrite?: (() => void) | undefined;
  /** Called, and awaited, before each call that writes; a rejection is that of the call, and nothing is sent. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
  /** Receives warnings instead of the client's own `onWarning`. */
  readonly onWarning?: ((warning: ApiWarning) => void) | undefined;
}

/** Runs a function whose client calls, however deep, inherit the context. */
export function runInCallContext<R>(context: CallContext, run: () => R): R {
  return runInScope({ calls: context }, run);
}

/** The context of the running code, if it has one. */
export function currentCallContext(): CallContext | undefined {
  return currentScope()?.calls;
}
