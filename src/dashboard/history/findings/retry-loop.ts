import type { Reconcile } from "../history.ts";
import { Episodes } from "./episodes.ts";
import type { AskedRequests, Detector, Finding, FoundRequest } from "./finding.ts";
import { shortened, span, times } from "./words.ts";

interface Retries extends FoundRequest {
  /** Without what differs each time, such as numbers. */
  readonly pattern: string;
  error: string;
}

/** Reconciles that fail again and again with the same error. */
export class RetryLoopDetector implements Detector {
  readonly #retries = new Episodes<Retries>({ least: 5 });
  readonly #isExplained: (error: string) => boolean;

  /** Errors that another finding explains are left out. */
  constructor(isExplained: (error: string) => boolean) {
    this.#isExplained = isExplained;
  }

  seeReconcile({ controller, request, outcome, error = "", from }: Reconcile, asked: AskedRequests): void {
    if (outcome === "unfinished" || asked.size > 0) return;
    const key = `${controller}\n${request}`;
    const pattern = error.replaceAll(/\d+/gu, "0");
    if (outcome !== "error" || (this.#retries.detailOf(key)?.pattern ?? pattern) !== pattern)
      this.#retries.end(key);
    if (outcome !== "error") return;
    const retries = this.#retries.hit(key, from, () => ({ controller, request, pattern, error }));
    retries.error = error;
  }

  found(): Finding[] {
    const told = this.#retries.told.filter(({ detail }) => !this.#isExplained(detail.error));
    return told.map(({ count, from, at, detail: { controller, request, error } }) => ({
      kind: "retry loop",
      title: `${controller} keeps failing for ${request}`,
      text: `${controller} failed ${times(count)} in a row in ${span(at - from)} for ${request} with “${shortened(error, 200)}”: remove the cause, or throw a TerminalError if another try can't help`,
      from,
      at,
      places: [],
      requests: [{ controller, request }],
    }));
  }
}
