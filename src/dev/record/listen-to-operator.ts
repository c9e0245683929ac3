import type { OperatorListener } from "../operator-process.ts";
import { type RecordedReconcile, ReconcileHistory } from "./reconcile-history.ts";
import type { SentMessages } from "./subscriber.ts";

/** Where reconciles are recorded. */
export interface ReconcileRecord {
  append(reconciles: readonly RecordedReconcile[]): void;
}

/** Writes the reconciles of one process of an operator into the record. One that can't be written is given up. */
export function listenToOperator(
  record: ReconcileRecord,
  onFailure: (error: unknown) => void,
): OperatorListener {
  const history = new ReconcileHistory();
  let isGivenUp = false;
  const write = (reconciles: readonly RecordedReconcile[]): void => {
    if (isGivenUp) return;
    try {
      record.append(reconciles);
    } catch (error) {
      isGivenUp = true;
      onFailure(error);
    }
  };
  return {
    message: (message) => {
      const told = (message as Partial<SentMessages> | null)?.tsbuilder;
      if (Array.isArray(told)) write(told.map((one) => history.add(one)).filter((one) => one !== undefined));
    },
    end: () => write(history.unfinished()),
  };
}
