import { isCallFor, isCallOf } from "../calls.ts";
import type { Call, Reconcile } from "../history.ts";
import { webhookName } from "../verdict.ts";

/** In milliseconds: a call that takes longer is told of itself. */
export const slowCall = 1000;

/** In milliseconds: a shorter call makes no request slow. */
const shortest = 50;

/** Of each resource. */
const mostCalls = 100;

/** What a request waited for. */
interface Waited {
  readonly names: readonly string[];
  /** How long at least one of the webhooks was at work. */
  readonly milliseconds: number;
  /** Whether one of them is slow or failing by itself. */
  readonly isToldOf: boolean;
}

/** Remembers the last calls of webhooks for which a request may have waited. */
export class WaitedCalls {
  readonly #calls = new Map<string, Call[]>();

  add(call: Call): void {
    if (call.to - call.from < shortest) return;
    const calls = this.#calls.get(call.resource) ?? [];
    this.#calls.set(call.resource, calls);
    calls.push(call);
    if (calls.length > mostCalls) calls.shift();
  }

  /** The webhooks that were asked because of a reconcile's request. */
  during(reconcile: Reconcile, { method, path }: { readonly method: string; readonly path: string }): Waited {
    const calls = [...this.#calls.values()]
      .flat()
      .filter((call) => isCallFor(call, method, path) && isCallOf(call, reconcile));
    return {
      names: [...new Set(calls.map(webhookName))],
      milliseconds: covered(calls),
      isToldOf: calls.some((call) => call.to - call.from > slowCall),
    };
  }
}

/** Validating webhooks are asked at the same time. */
function covered(calls: readonly Call[]): number {
  let [sum, end] = [0, -Infinity];
  for (const { from, to } of calls.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}
