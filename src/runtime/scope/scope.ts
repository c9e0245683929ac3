import { AsyncLocalStorage } from "node:async_hooks";
import type { CallContext } from "./call-context.ts";
import type { LogFields } from "../log/logger.ts";

/** What code inherits from a reconcile or a webhook call around it, however deep and after any `await`. */
export interface Scope {
  /** For the calls of clients. */
  readonly calls?: CallContext | undefined;
  /** What lines carry besides their own fields. Made when the first line is written, as most reconciles write none. */
  readonly logFields?: (() => LogFields) | undefined;
}

/** One for everything: in Node 20 each storage costs something at every promise that is made. */
const storage = new AsyncLocalStorage<Scope>();

/** Runs a function in a scope; what it leaves open is that of the scope around it, log fields are added to those there. */
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
