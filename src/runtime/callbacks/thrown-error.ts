/** What was thrown as an error with a message, whatever it was: code may throw anything. */
export function thrownError(thrown: unknown): Error {
  try {
    if (thrown instanceof Error && typeof thrown.message === "string") return thrown;
  } catch {
    // A proxy, or a getter that throws: what follows asks it nothing more.
  }
  return new Error(`something was thrown that is no Error: ${show(thrown)}`);
}

/** A value as a message can quote it. */
export function show(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}
