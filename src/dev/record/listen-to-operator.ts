import type { OperatorListener } from "../operator-process.ts";
import { type RecordedReconcile, ReconcileHistory } from "./reconcile-history.ts";
import { recordedSample, type RecordedSample, sampleOfEnd } from "./recorded-sample.ts";
import type { OperatorMessage, SentMessages } from "./subscriber.ts";

/** Where what an operator tells is recorded. */
export interface OperatorRecord {
  append(reconciles: readonly RecordedReconcile[]): void;
  sample?(sample: RecordedSample): void;
}

/** Writes what one process of an operator tells into the record. One that can't be written is given up. */
export function listenToOperator(
  record: OperatorRecord,
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
  let last: RecordedSample | undefined;
  const sample = (taken: RecordedSample): void => {
    last = taken;
    record.sample?.(taken);
  };
  const take = (message: OperatorMessage): RecordedReconcile | undefined => {
    if (message.channel !== "tsbuilder:sample") return history.add(message);
    sample(recordedSample(message));
    return undefined;
  };
  return {
    message: (message) => {
      const told = (message as Partial<SentMessages> | null)?.tsbuilder;
      if (Array.isArray(told)) write(told.map(take).filter((one) => one !== undefined));
    },
    end: () => {
      write(history.unfinished());
      if (last) sample(sampleOfEnd(last));
    },
  };
}
