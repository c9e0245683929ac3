/** Resolves on the first SIGINT or SIGTERM. */
export function stopSignal(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
