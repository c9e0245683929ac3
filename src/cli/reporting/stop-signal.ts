import { TsbuilderError } from "../../shared/errors.ts";

/** Resolves on the first SIGINT or SIGTERM. */
export function stopSignal(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}

/** Returns a signal that SIGINT or SIGTERM aborts, for work that cleans up before the command fails. */
export function stopAbort(): AbortSignal {
  const controller = new AbortController();
  void stopSignal().then((signal) => {
    controller.abort(
      new TsbuilderError(`stopped by ${signal}`, { code: "INTERRUPTED", hint: "run the command again" }),
    );
  });
  return controller.signal;
}
