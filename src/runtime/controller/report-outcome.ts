import type { Logger } from "../log/logger.ts";
import type { ControllerObserver } from "./controller-spec.ts";
import type { Outcome } from "./outcome.ts";

interface ReportTargets {
  readonly log: Logger;
  readonly observer: ControllerObserver | undefined;
  /** Whether the reconcile was aborted because the controller is shutting down. */
  readonly isStopping: boolean;
}

/** Logs how a reconcile ended and counts its errors. */
export function reportOutcome(outcome: Outcome, { log, observer, isStopping }: ReportTargets): void {
  switch (outcome.ending) {
    case "done":
      log.debug("Reconcile successful");
      return;
    case "later":
      log.debug("Reconcile done, requeueing", { requeueAfter: outcome.after });
      return;
    case "conflict":
      log.debug("Object changed meanwhile, reconciling again", { error: outcome.error });
      return;
    case "terminal":
      observer?.failed("terminal");
      log.error("Reconciler error, not retried until the next change", { error: outcome.error });
      return;
    case "error":
      observer?.failed("error");
      if (outcome.isPanic) observer?.failed("panic");
      if (isStopping) log.info("Reconcile stopped", { error: outcome.error });
      else log.error("Reconciler error", { error: outcome.error });
      return;
  }
}
