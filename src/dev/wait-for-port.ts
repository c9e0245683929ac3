import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** An operator that serves nothing by then says why in its log. */
const PATIENCE_MILLISECONDS = 10_000;

/** Waits until something listens at a port of this machine, as long as there is somebody who could. */
export async function waitForPort(port: number, isAwaited: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MILLISECONDS;
  while (isAwaited() && Date.now() < deadline && !(await listens(port))) await delay(10);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
