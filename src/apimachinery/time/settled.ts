import { performance } from "node:perf_hooks";
import process from "node:process";

/** How many turns of the event loop without an event, in a row, count as idle: one more than any chain of callbacks. */
const quietTurns = 10;

/**
 * Resolves when this process is idle: no socket has data, no file is being read, no callback is due. Whatever waits for
 * a timer or for another process counts as idle. A test that moves a `FakeClock` calls it so that servers and clients
 * in the same process finish everything that the last step triggered.
 *
 * `isBusy` reports work that the event loop can't see, such as a request that a worker thread compresses.
 *
 * Bytes that the kernel holds back can't be seen either. A proxy in a test needs `noDelay` on both of its sockets:
 * otherwise Nagle's algorithm keeps a small write for up to 40 ms, until the previous one is acknowledged.
 */
export async function settled(isBusy: () => boolean = () => false): Promise<void> {
  let seenEvents = -1;
  for (let quiet = 0; quiet < quietTurns;) {
    await nextTurn();
    const { events } = performance.nodeTiming.uvMetricsInfo;
    quiet = events === seenEvents && !isBusy() && !isWorking() ? quiet + 1 : 0;
    seenEvents = events;
  }
}

/** Callers waiting here for their next turn. They don't count as work, or two callers would wait for each other. */
let waiting = 0;

function nextTurn(): Promise<void> {
  waiting++;
  return new Promise((resolve) => {
    setImmediate(() => {
      waiting--;
      resolve();
    });
  });
}

/** Work outside the event loop that always completes: files and host names. */
const pendingWork = /^(?:FSReq|FileHandleCloseReq|CloseReq|GetAddrInfoReq|GetNameInfoReq)/;

function isWorking(): boolean {
  const resources = process.getActiveResourcesInfo();
  if (resources.some((resource) => pendingWork.test(resource))) return true;
  return resources.filter((resource) => resource === "Immediate").length > waiting;
}
