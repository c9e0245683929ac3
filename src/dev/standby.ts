import type { ChildProcess } from "node:child_process";

/** A process kept in standby, because starting one takes longer than the work it is started for. */
export interface Standby {
  /** Returns the process in standby, or a new one, and prepares the next one after a delay. */
  take(): ChildProcess;
  close(): void;
}

/** The delay leaves the processors to the process that was just taken. */
const delayMilliseconds = 1000;

/** Keeps a process in standby; if disabled, each one is started on demand. */
export function createStandby(
  launch: () => ChildProcess,
  { isWanted, delay = delayMilliseconds }: { readonly isWanted: boolean; readonly delay: number | undefined },
): Standby {
  let waiting: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const prepare = (): void => {
    const child = launch();
    waiting = child;
    // A process that fails in standby fails again on demand, and its error is reported then.
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
