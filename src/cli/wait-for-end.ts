/** Resolves when the person, or what started this process, asks for its end. */
export function endAsked(): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
}
