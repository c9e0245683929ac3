import type { MeasurableController } from "../controller/controller-spec.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/service.ts";

/** What a watchdog watches, and whom it tells; times in milliseconds. */
export interface LoopWatchdogOptions {
  readonly controllers: () => readonly MeasurableController[];
  readonly log: Logger;
  /** How long the loop may be blocked before it is said; 0 for never. */
  readonly blockedAfter: number;
  readonly onBlocked: (milliseconds: number) => void;
}

/**
 * Says when code held the event loop for so long that nothing else could run: no other reconcile, no probe, and no renewal
 * of the lease. It goes by the machine's time, as do the moments in `workedSince`: what holds the loop holds any clock. That it was held can only be seen afterwards, and who did it by what was being reconciled meanwhile.
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
    log.warn("The event loop was blocked: work for the processor belongs into a worker thread", {
      seconds: Math.round(milliseconds / 100) / 10,
      reconciling,
    });
  }
}
