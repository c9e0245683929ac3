import type { ChildProcess } from "node:child_process";

/** A process that waits until it is needed, because starting one takes longer than what it is started for. */
export interface Standby {
  /** Gives the one that waits, or a new one, and has the next one wait in a while. */
  take(): ChildProcess;
  close(): void;
}

/** The one that was taken has work to do first, on a machine that may have few processors. */
const DELAY_MILLISECONDS = 1000;

/** Keeps a process waiting; where none is wanted, each is started when it is needed. */
export function createStandby(
  launch: () => ChildProcess,
  {
    isWanted,
    delay = DELAY_MILLISECONDS,
  }: { readonly isWanted: boolean; readonly delay: number | undefined },
): Standby {
  let waiting: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const prepare = (): void => {
    const child = launch();
    waiting = child;
    // One that ends while it waits would end again, and say why, when a new one is needed.
    const forget = (): void => {
      if (waiting === child) waiting = undefined;
    };
    child.once("exit", forget).once("error", forget);
  };
  return {
    take: () => {
      clearTimeout(timer);
      const child = waiting ?? launch();
      waiting = undefined;
      if (isWanted) timer = setTimeout(prepare, delay);
      return child;
    },
    close: () => {
      clearTimeout(timer);
      waiting?.kill("SIGKILL");
      waiting = undefined;
    },
  };
}
