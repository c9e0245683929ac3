import { AsyncLocalStorage } from "node:async_hooks";

/** The values that code inherits from the reconcile or webhook call around it, however deep and after any `await`. */
export interface Scope {
  /** For client calls. */
  readonly calls?: CallContext | undefined;
  /** Log fields of every line. Computed at the first line, because most reconciles write none. */
  readonly logFields?: (() => LogFields) | undefined;
  /** The number of the reconcile, as receivers of `tracing` get it. */
  readonly run?: number | undefined;
}

/** A `Warning` header of the server: a deprecated version, an unknown field, a policy that would deny the request. */
export interface ApiWarning {
  readonly text: string;
  /** The request that caused it, as `PATCH /api/v1/…`. */
  readonly request: string;
}

/** The values that client calls inherit from the code around them. */
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

/**
 * The fields of a line besides its message. Values are written as JSON; an `Error` with its message, stack and cause.
 */
export type LogFields = { readonly [name: string]: unknown };

/** One storage for everything: in Node 20 each storage costs time at every promise. */
const storage = new AsyncLocalStorage<Scope>();

/** Runs a function in a scope. Log fields of the outer scope are added to its own; without `calls` it has the outer ones. */
export function runInScope<R>(scope: Scope, run: () => R): R {
  const outerScope = storage.getStore();
  if (!outerScope) return storage.run(scope, run);
  const { logFields: outer } = outerScope;
  const { logFields: inner } = scope;
  const logFields = outer && inner ? () => ({ ...outer(), ...inner() }) : (inner ?? outer);
  return storage.run(
    { calls: scope.calls ?? outerScope.calls, logFields, run: scope.run ?? outerScope.run },
    run,
  );
}

/** The scope of the running code, if it has one. */
export function currentScope(): Scope | undefined {
  return storage.getStore();
}

/** Runs a function whose client calls, however deep, inherit the context. */
export function runInCallContext<R>(context: CallContext, run: () => R): R {
  return runInScope({ calls: context }, run);
}

/** The context of the running code, if it has one. */
export function currentCallContext(): CallContext | undefined {
  return currentScope()?.calls;
}
