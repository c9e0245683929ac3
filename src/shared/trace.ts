import { channel } from "node:diagnostics_channel";

const steps = channel("tsbuilder:step");

/** Publishes a step, for `--verbose`. */
export function trace(step: string): void {
  steps.publish(step);
}

/** Calls a listener for each step until the returned function is called. */
export function followSteps(listener: (step: string) => void): () => void {
  const receive = (step: unknown): void => listener(String(step));
  steps.subscribe(receive);
  return () => {
    steps.unsubscribe(receive);
  };
}
