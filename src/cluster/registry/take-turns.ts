import { setImmediate } from "node:timers/promises";

/**
 * Counts writes that follow each other without waiting for anything, and lets requests and watchers have a turn
 * after each hundred: emptying a large namespace would else keep the server from answering.
 */
export function takeTurns(): () => Promise<void> {
  let writes = 0;
  return async () => {
    writes++;
    if (writes % 100 === 0) await setImmediate();
  };
}
