/** Converts a thrown value to an error with a message: code may throw anything. */
export function thrownError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
  } catch {
    // A proxy, or a getter that throws: what follows asks it nothing more.
  }
  return new Error(`a value was thrown that is not an Error: ${show(thrown)}`);
}

/** Formats a value for a message. JSON has no `NaN` and no `Infinity`. */
export function show(value: unknown): string {
  try {
    if (typeof value === "number") return String(value);
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}

/** Tells errors that the language or Node threw, which would be panics in Go, from those that code threw on purpose. */
export function isProgrammingError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    !(error instanceof Error)
  );
}
