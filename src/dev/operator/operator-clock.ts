/**
 * The URL of a module that runs in an operator's process before its runtime is loaded, and replaces the runtime's system time
 * by a clock that can be moved forward. After a move, timers of the runtime fire at their time on the new clock, at once if
 * that has passed. `Date` follows the clock once it has been moved; timers of the operator's own code do not.
 *
 * A move waits until no reconcile runs, whose requests would time out, but at most five seconds.
 */
export const operatorClock = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const { setTimeout, clearTimeout, Date: RealDate } = globalThis;
  const { now } = RealDate;
  const patience = 5000;
  const longestTimer = 2 ** 31 - 1;
  const timers = new Set();
  let ahead = 0;
  let running = 0;
  let move = () => {};

  const clock = {
    get ahead() {
      return ahead;
    },
    now: () => now() + ahead,
    monotonic: () => performance.now() + ahead,
    setTimer(run, milliseconds) {
      const timer = { at: clock.monotonic() + Math.max(0, milliseconds), run };
      timers.add(timer);
      arm(timer);
      return () => {
        clearTimeout(timer.handle);
        timers.delete(timer);
      };
    },
    moveTo(wanted) {
      if (!(wanted > ahead)) return;
      const late = setTimeout(() => move(), patience);
      move = () => {
        clearTimeout(late);
        move = () => {};
        ahead = wanted;
        moveDate();
        for (const timer of [...timers].sort((a, b) => a.at - b.at)) arm(timer);
      };
      if (running === 0) move();
    },
  };

  function arm(timer) {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(
      () => {
        if (timer.at > clock.monotonic()) return arm(timer);
        timers.delete(timer);
        timer.run();
      },
      Math.min(Math.max(0, timer.at - clock.monotonic()), longestTimer),
    );
  }

  function moveDate() {
    if (globalThis.Date !== RealDate) return;
    globalThis.Date = new Proxy(RealDate, {
      apply: () => new RealDate(clock.now()).toString(),
      construct: (target, args, as) => Reflect.construct(target, args.length === 0 ? [clock.now()] : args, as),
      get: (target, name) => (name === "now" ? clock.now : Reflect.get(target, name)),
    });
    RealDate.prototype.constructor = globalThis.Date;
  }

  subscribe("tsbuilder:reconcile:start", () => running++);
  subscribe("tsbuilder:reconcile:end", () => --running === 0 && move());
  globalThis[Symbol.for("@tsbuilder/clock")] = clock;
`)}`;
