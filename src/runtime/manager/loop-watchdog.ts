import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/service.ts";

/** What a watchdog watches and notifies; times in milliseconds. */
export interface LoopWatchdogOptions {
  readonly controllers: () => readonly MeasurableController[];
  readonly log: Logger;
  /** How long the loop may be blocked before it is reported; 0 for never. */
  readonly blockedAfter: number;
  readonly onBlocked: (milliseconds: number) => void;
}

/**
 * Reports when code blocked the event loop for so long that nothing else could run: no other reconcile, no probe, no
 * renewal of the lease. It uses the system time, like `workedSince`: blocked code can't be seen on a clock that a test
 * moves. A block can only be detected afterwards; the reconciles that ran in the meantime are the suspects.
 */
export class LoopWatchdog implements Service {
  readonly #options: LoopWatchdogOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { blockedAfter } = this.#options;
    if (blockedAfter <= 0) return;
    const period = Math.max(10, blockedAfter / 4);
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const late = now - last - period;
      if (late >= blockedAfter) this.#report(late, last);
      last = now;
    }, period);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  #report(milliseconds: number, since: number): void {
    const { controllers, log, onBlocked } = this.#options;
    const reconciling = controllers().flatMap((controller) =>
      controller.workedSince(since).map((key) => `${controller.name} ${key}`),
    );
    onBlocked(milliseconds);
    log.warn(
      "The event loop was blocked: code computed for too long in one piece; await setImmediate() of node:timers/promises in it, or run it in a worker thread",
      {
        seconds: Math.round(milliseconds / 100) / 10,
        reconciling,
      },
    );
  }
}
