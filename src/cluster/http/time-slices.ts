/** How long one request may work before others get their turn. */
const sliceMilliseconds = 5;

/** Requests whose slice is over, in the order in which they continue. */
const waiting: Array<() => void> = [];

/**
 * Returns a function to call after each step of a long computation, such as a list of thousands of objects. While the
 * slice lasts, it returns undefined; then a promise to await. In each turn of the event loop only one such computation
 * continues, so that short requests don't wait for many lists.
 */
export function timeSlices(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let end = now() + sliceMilliseconds;
  return () => {
    if (now() < end) return undefined;
    return new Promise((resolve) => {
      waiting.push(() => {
        end = now() + sliceMilliseconds;
        resolve();
      });
      if (waiting.length === 1) setImmediate(continueNext);
    });
  };
}

function continueNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueNext);
}
