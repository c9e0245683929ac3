import type { Clock } from "@tsbuilder/apimachinery/time";
import type { LogFields } from "../log/logger.ts";
import type { ControllerSpec } from "./controller-spec.ts";

interface RunningReconcile {
  readonly fields: () => LogFields;
  readonly onTimeout: (reason: DOMException) => void;
}

/**
 * Starts the timeout of a reconcile, and a warning that is repeated while it runs: a timeout can't end code that ignores
 * its signal. Returns a function that stops both.
 */
export function startReconcileTimers(
  clock: Clock,
  {
    log,
    stuckAfter,
    reconcileTimeout,
  }: Pick<ControllerSpec<never>, "log" | "stuckAfter" | "reconcileTimeout">,
  { fields, onTimeout }: RunningReconcile,
): () => void {
  const startedAt = clock.monotonic();
  const warn = () => {
    const seconds = Math.round((clock.monotonic() - startedAt) / 1000);
    log.warn("Reconcile is still running", { ...fields(), seconds });
    cancelWarning = clock.setTimer(warn, stuckAfter);
  };
  let cancelWarning = clock.setTimer(warn, stuckAfter);
  const expire = () =>
    onTimeout(new DOMException(`the reconcile took longer than ${reconcileTimeout} ms`, "TimeoutError"));
  const cancelTimeout = reconcileTimeout === undefined ? undefined : clock.setTimer(expire, reconcileTimeout);
  return () => {
    cancelWarning();
    cancelTimeout?.();
  };
}
