import { performance } from "node:perf_hooks";
import process from "node:process";

/** So many turns of the event loop without an event in a row; one more than any chain of callbacks has by itself. */
const quietTurns = 10;

/** What runs outside of the event loop, and is bound to come back: files and host names. */
const comesBack = /^(?:FSReq|FileHandleCloseReq|CloseReq|GetAddrInfoReq|GetNameInfoReq)/;

/** How many wait here for their next turn: no work of others, or two who wait would wait for each other. */
let waiting = 0;

/**
 * Resolves when everything that goes on in this process has come to rest: no socket brings anything, no file is being
 * read, no callback is due. What waits for a timer, or for another process, counts as being at rest. A test that moves
 * a `FakeClock` knows by it that servers and clients in its own process have done all that the last step set off.
 *
 * `isBusy` tells of work that the event loop can't see, such as a request that a worker thread compresses.
 */
export async function settled(isBusy: () => boolean = () => false): Promise<void> {
  let seen = -1;
  for (let quiet = 0; quiet < quietTurns; ) {
    await nextTurn();
    const { events } = performance.nodeTiming.uvMetricsInfo;
    quiet = events === seen && !isBusy() && !isWorking() ? quiet + 1 : 0;
    seen = events;
  }
}

function nextTurn(): Promise<void> {
  waiting++;
  return new Promise((resolve) => {
    setImmediate(() => {
      waiting--;
      resolve();
    });
  });
}

function isWorking(): boolean {
  const resources = process.getActiveResourcesInfo();
  if (resources.some((resource) => comesBack.test(resource))) return true;
  return resources.filter((resource) => resource === "Immediate").length > waiting;
}
