import { AsyncLocalStorage } from "node:async_hooks";
import type { CallContext } from "./call-context.ts";
import type { LogFields } from "../log/logger.ts";

/** What code inherits from the reconcile or webhook call around it, however deep and after any `await`. */
export interface Scope {
  /** For client calls. */
  readonly calls?: CallContext | undefined;
  /** Log fields of every line. Computed at the first line, because most reconciles write none. */
  readonly logFields?: (() => LogFields) | undefined;
}

/** One storage for everything: in Node 20 each storage costs time at every promise. */
const storage = new AsyncLocalStorage<Scope>();

/** Runs a function in a scope. Fields that it doesn't set are inherited from the outer scope; log fields are merged. */
export function runInScope<R>(scope: Scope, run: () => R): R {
  const around = storage.getStore();
  if (!around) return storage.run(scope, run);
  const { logFields: outer } = around;
  const { logFields: inner } = scope;
  const logFields = outer && inner ? () => ({ ...outer(), ...inner() }) : (inner ?? outer);
  return storage.run({ calls: scope.calls ?? around.calls, logFields }, run);
}

/** The scope of the running code, if it has one. */
export function currentScope(): Scope | undefined {
  return storage.getStore();
}
