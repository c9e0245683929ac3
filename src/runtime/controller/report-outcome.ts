import type { Logger } from "../log/logger.ts";
import type { ControllerObserver } from "./controller-spec.ts";
import type { Outcome } from "./outcome.ts";

interface ReportTargets {
  readonly log: Logger;
  readonly observer: ControllerObserver | undefined;
  /** How often the request was retried in a row, this time included. */
  readonly retries: number;
  /** Whether the reconcile was aborted because the controller is shutting down. */
  readonly isStopping: boolean;
}

/** More conflicts in a row than any race has: something is read from where it doesn't change. */
const patience = 10;

/** Logs how a reconcile ended and counts its errors. */
export function reportOutcome(outcome: Outcome, { log, observer, retries, isStopping }: ReportTargets): void {
  switch (outcome.ending) {
    case "done":
      log.debug("Reconcile successful");
      return;
    case "later":
      log.debug("Reconcile done, requeueing", { requeueAfter: outcome.after });
      return;
    case "again": {
      const { requeueAfter } = outcome;
      log.warn("requeueAfter is not positive, reconciling again after the backoff of errors", {
        requeueAfter,
      });
      return;
    }
    case "conflict":
      if (retries > patience) {
        observer?.failed("error");
        log.warn("Conflict again, although the object was read again", { retries, error: outcome.error });
        return;
      }
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
