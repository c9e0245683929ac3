import type { OperatorListener } from "../operator-process.ts";
import { ReconcileHistory } from "./reconcile-history.ts";
import type { RecordFile } from "./record-file.ts";
import type { OperatorMessage } from "./subscriber.ts";

/** Writes the reconciles of one process of an operator into the record. */
export function listenToOperator(record: RecordFile): OperatorListener {
  const history = new ReconcileHistory();
  return {
    message: (message) => {
      // The operator's own code may send messages, too.
      if (!Array.isArray(message)) return;
      const told = message as readonly OperatorMessage[];
      record.append(told.map((one) => history.add(one)).filter((one) => one !== undefined));
    },
    end: () => record.append(history.unfinished()),
  };
}
