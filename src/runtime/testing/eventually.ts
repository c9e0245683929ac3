/** How long `eventually` waits by default, in milliseconds. */
let patience = 10_000;

/** Sets for how long `eventually` waits where a call doesn't say. */
export function setPatience(milliseconds: number): void {
  patience = milliseconds;
}

/** How to wait for a state. */
export interface EventuallyOptions {
  /** Give up after this many milliseconds; 10,000 unless said otherwise. */
  readonly timeout?: number | undefined;
  /** Look again after this many milliseconds; 20 unless said otherwise. */
  readonly interval?: number | undefined;
}

/**
 * Calls a function until it neither throws nor returns false, and resolves with what it returned: assertions that
 * return nothing are enough. After the timeout it rejects with what the function threw last, so that the assertion
 * that never held is the test's failure.
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

/** Calls a function over and over for a while, and rejects as soon as it throws or returns false. */
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
