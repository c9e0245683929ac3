import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** By then, an operator that listens nowhere has logged the reason. */
const patienceMilliseconds = 10_000;

/** Waits until a port on this machine accepts connections, as long as the process that should open it is running. */
export async function waitForPort(port: number, isAwaited: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMilliseconds;
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
