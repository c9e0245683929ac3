import { objectOfCause, requeueOfCause } from "../../../dev/record/causes.ts";
import type { Reconcile } from "../history.ts";
import { isOperator } from "../../../dev/record/writer.ts";
import { hasSucceeded, isWrite, placeOf, requestTarget } from "../request-target.ts";
import {
  type AskedRequests,
  type Detector,
  Episodes,
  type Finding,
  type FoundRequest,
  type SeenWrite,
  listed,
  shortened,
  span,
  times,
} from "./finding.ts";

/** The number of runs in a row, and the milliseconds within which each must follow the run before. */
const [least, pause] = [10, 500];

interface SeenObject {
  kind: string;
  key: string;
  /** The time of the last write by somebody else than an operator. */
  foreignAt: number;
  /** The last write by an operator. */
  own: SeenWrite | undefined;
}

interface Loop extends FoundRequest {
  /** The names of objects whose writes caused the next run, by their places. */
  readonly causes: Map<string, string>;
  /** True if a run asked for the next one by its result. */
  asks: boolean;
}

/** Finds reconciles that cause their own next run. */
export class HotLoopDetector implements Detector {
  readonly #objects = new Map<string, SeenObject>();
  readonly #runs = new Map<string, Reconcile>();
  readonly #loops = new Episodes<Loop>({ least });

  seeWrite(write: SeenWrite): void {
    const { place, key, at, object } = write;
    let seen = this.#objects.get(place);
    if (seen === undefined) {
      seen = { kind: object.kind, key, foreignAt: -Infinity, own: undefined };
      this.#objects.set(place, seen);
    }
    if (isOperator(write.by)) seen.own = write;
    else seen.foreignAt = at;
  }

  seeReconcile(reconcile: Reconcile): void {
    const { controller, request, from } = reconcile;
    const key = `${controller}\n${request}`;
    const before = this.#runs.get(key);
    this.#runs.set(key, reconcile);
    const isSoon = before !== undefined && from - before.from <= pause;
    const causes = isSoon ? this.#ownCauses(reconcile, before) : undefined;
    if (causes === undefined) return this.#loops.end(key);
    const loop = this.#loops.hit(key, from, () => ({ controller, request, causes: new Map(), asks: false }));
    for (const [place, name] of causes) loop.causes.set(place, name);
    if (causes.size === 0) loop.asks = true;
  }

  /** Returns the objects that the reconcile before wrote and that caused this one; undefined if there is another cause. */
  #ownCauses({ causes }: Reconcile, before: Reconcile): Map<string, string> | undefined {
    if (causes.length === 0) return undefined;
    const found = new Map<string, string>();
    const written = placesWritten(before);
    for (const cause of causes) {
      const delay = requeueOfCause(cause);
      if (delay !== undefined && delay <= pause) continue;
      const { kind, key } = objectOfCause(cause) ?? { kind: "", key: "" };
      const place = written.find((place) => this.#isOwn(place, kind, key, before.from));
      if (place === undefined) return undefined;
      found.set(place, `${kind} ${key}`);
    }
    return found;
  }

  /** Returns true if only operators wrote an object. Records of another cluster have no writes: there, a request is enough. */
  #isOwn(place: string, kind: string, key: string, since: number): boolean {
    if (!place.endsWith(` ${key}`)) return false;
    const seen = this.#objects.get(place);
    return seen === undefined || (seen.kind === kind && seen.foreignAt < since);
  }

  found(): Finding[] {
    return this.#loops.counted.map(({ count, from, at, detail }) => {
      const { controller, request, causes, asks } = detail;
      const names = listed([...causes.values()]);
      const why =
        causes.size === 0
          ? "asked to run again"
          : `wrote ${names}${this.#fieldsOf(causes.keys())}, and ran because of that`;
      const advice =
        causes.size === 0
          ? "wait for a change, or for longer"
          : "write only what has to change, and nothing that differs each time, such as the time";
      return {
        kind: "hot loop",
        title: `${controller} makes itself reconcile ${request} again and again`,
        text: `${controller} reconciled ${request} again ${times(count)} in ${span(at - from)}, since it ${why}${asks && causes.size > 0 ? " or asked to" : ""}: ${advice}`,
        from,
        at,
        places: [...causes.keys()],
        requests: [{ controller, request }],
      };
    });
  }

  #fieldsOf(places: Iterable<string>): string {
    const paths = [...places].flatMap((place) => this.#objects.get(place)?.own?.changes() ?? []);
    return paths.length === 0 ? "" : ` (${listed(paths.map(({ path }) => path))})`;
  }
}

function placesWritten({ requests }: Reconcile): string[] {
  const places: string[] = [];
  for (const { method, path, code } of requests) {
    if (!hasSucceeded(code) || !isWrite(method, path)) continue;
    const target = requestTarget(path);
    const place = target && placeOf(target);
    if (place !== undefined) places.push(place);
  }
  return places;
}

interface Retries extends FoundRequest {
  /** The error with all numbers replaced, as they differ each time. */
  readonly pattern: string;
  error: string;
}

/** Finds reconciles that fail again and again with the same error. */
export class RetryLoopDetector implements Detector {
  readonly #retries = new Episodes<Retries>({ least: 5 });
  readonly #isExplained: (error: string) => boolean;

  /** `isExplained` returns true for errors that another finding reports. */
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
    const unexplained = this.#retries.counted.filter(({ detail }) => !this.#isExplained(detail.error));
    return unexplained.map(({ count, from, at, detail: { controller, request, error } }) => ({
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
