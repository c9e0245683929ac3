import { AsyncLocalStorage } from "node:async_hooks";
import type { LogFields } from "./logger.ts";

const storage = new AsyncLocalStorage<LogFields>();

/** Runs a function whose lines, however deep, carry the fields besides those of the scope around it. */
export function runInLogScope<R>(fields: LogFields, run: () => R): R {
  return storage.run({ ...storage.getStore(), ...fields }, run);
}

/** The fields of the scope that the running code is in. */
export function currentLogFields(): LogFields | undefined {
  return storage.getStore();
}
