import type { RecordedFault } from "../../../dev/record/recorded.ts";
import type { Reconcile } from "../history.ts";
import { requestTarget, verbOf } from "../request-target.ts";
import type { AskedRequests } from "./finding.ts";

/** Two processes stamp the times, and dev may be busy when a request comes. In milliseconds. */
const inaccuracy = 5;

/** Faults are those of reconciles that still run; of other requests nothing is recorded. */
const most = 1000;

interface SeenFault extends Pick<RecordedFault, "verb" | "resource" | "code" | "delay"> {
  readonly at: number;
}

/** The requests that failed or waited because the page asked for it. */
export class Faults {
  #faults: SeenFault[] = [];

  add({ verb, resource, code, delay }: RecordedFault, at: number): void {
    this.#faults.push({ at, verb, resource, code, delay });
    if (this.#faults.length > most) this.#faults.shift();
  }

  /** Those of a reconcile that has ended: each fault explains one request. */
  metBy({ requests, from, to, outcome }: Reconcile): AskedRequests {
    const met = new Set<Reconcile["requests"][number]>();
    if (this.#faults.length === 0) return met;
    const until = outcome === "unfinished" ? Infinity : to + inaccuracy;
    for (const request of requests) {
      const found = this.#faults.findIndex(
        (fault) => fault.at >= from - inaccuracy && fault.at <= until && explains(fault, request),
      );
      if (found === -1) continue;
      this.#faults.splice(found, 1);
      met.add(request);
    }
    return met;
  }
}

function explains(
  { verb, resource, code, delay = 0 }: SeenFault,
  { method, path, code: answer, seconds }: Reconcile["requests"][number],
): boolean {
  const target = requestTarget(path);
  if (target === undefined || verbOf(method, path, target) !== verb) return false;
  const { subresource } = target;
  const name = subresource === undefined ? target.resource : `${target.resource}/${subresource}`;
  return name === resource && (code === undefined ? seconds * 1000 >= delay : answer === String(code));
}
