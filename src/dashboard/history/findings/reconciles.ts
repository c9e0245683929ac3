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

/** So often a request must run again, each time within so many milliseconds. */
const [least, pause] = [10, 500];

interface SeenObject {
  kind: string;
  key: string;
  /** When somebody wrote it who is no operator. */
  foreignAt: number;
  /** The last write by an operator. */
  own: SeenWrite | undefined;
}

interface Loop extends FoundRequest {
  /** Objects whose writes made it run again. */
  readonly causes: Map<string, string>;
  /** Whether it asked to run again. */
  asks: boolean;
}

/** Reconciles that make themselves run again at once. */
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

  /** What the reconcile before wrote and this one runs because of; undefined if it runs because of anything else. */
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

  /** Records of another cluster have no writes: then the request has to do. */
  #isOwn(place: string, kind: string, key: string, since: number): boolean {
    if (!place.endsWith(` ${key}`)) return false;
    const seen = this.#objects.get(place);
    return seen === undefined || (seen.kind === kind && seen.foreignAt < since);
  }

  found(): Finding[] {
    return this.#loops.told.map(({ count, from, at, detail }) => {
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
