/** The default timeout of `eventually`, in milliseconds. */
let patience = 10_000;

/** Options of `eventually` and `consistently`. */
export interface EventuallyOptions {
  /** Timeout in milliseconds. Default: 10,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds between two checks. Default: 20. */
  readonly interval?: number | undefined;
}

/**
 * Calls a function until it neither throws nor returns false, and resolves with its result. It may return nothing, and
 * contain assertions: after the timeout, rejects with the last error, so that the assertion is the test's failure.
 */
export async function eventually<R>(
  check: () => R | Promise<R>,
  { timeout = patience, interval = 20 }: EventuallyOptions = {},
): Promise<Exclude<R, false>> {
  const deadline = performance.now() + timeout;
  for (;;) {
    let failure: unknown;
    try {
      const result = await check();
      if (result !== false) return result as Exclude<R, false>;
      failure = new Error(`the check still gave false after ${timeout} ms`);
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) throw failure;
    await new Promise((resolve) => {
      setTimeout(resolve, interval);
    });
  }
}

/** Sets the default timeout of `eventually`. */
export function setPatience(milliseconds: number): void {
  patience = milliseconds;
}

/** Calls a function repeatedly for a while, and rejects as soon as it throws or returns false. */
export async function consistently(
  check: () => unknown,
  { timeout = 500, interval = 20 }: EventuallyOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeout;
  do {
    if ((await check()) === false) throw new Error("the check gave false");
    await new Promise((resolve) => {
      setTimeout(resolve, interval);
    });
  } while (performance.now() < deadline);
}
