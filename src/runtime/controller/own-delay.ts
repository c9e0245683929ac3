import { parseDuration } from "@tsbuilder/apimachinery/time";
import { synchronous } from "../callbacks/call-safely.ts";
import { CallbackError } from "../callbacks/callback-error.ts";
import { show } from "../callbacks/thrown-error.ts";
import type { RetryDelay } from "./controller-options.ts";

/** A user's delay in milliseconds; undefined if it has none, or if it fails, which is reported. */
export function ownDelay(
  delay: RetryDelay,
  report: (error: CallbackError) => void,
): (retries: number, key: string) => number | undefined {
  return (retries, key) => {
    try {
      const wanted: unknown = synchronous(delay(retries, key));
      if (wanted === undefined) return undefined;
      const milliseconds = typeof wanted === "string" ? parseDuration(wanted) : Number.NaN;
      if (milliseconds >= 0) return milliseconds;
      throw new TypeError(`it returned ${show(wanted)}: a duration such as "30s" is expected`);
    } catch (error) {
      report(new CallbackError("backoff", "the function backoff.delay", error, key));
      return undefined;
    }
  };
}
