import { setImmediate } from "node:timers/promises";

/**
 * Returns a function to await after each of many writes in a row: after each hundred it lets other requests and watchers
 * run. Otherwise, emptying a large namespace would block the server.
 */
export function pauseRegularly(): () => Promise<void> {
  let writes = 0;
  return async () => {
    writes++;
    if (writes % 100 === 0) await setImmediate();
  };
}
