// Not the global one: fake timers of a test replace that.
import { setImmediate } from "node:timers";

/** Yields to requests and timers: reads and writes in the same process never wait for I/O. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
