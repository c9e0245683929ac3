// Looks for probable mistakes in a record, for the page and the terminal's screen. Begin here; `finding` has the contract of detectors and their tools. Each other file
// has the detectors for one subject: objects, reconciles with their requests, webhooks, and the operator's process.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ClusterWrite } from "@tsbuilder/cluster";
import { hideSecret } from "../hide-secrets.ts";
import type { Recorded, RecordedFault, RecordedWrite } from "../recorded.ts";
import { placeName, writerName } from "../recorded.ts";
import { BlockedLoopDetector, GrowingMemoryDetector, GrowingQueueDetector } from "./process.ts";
import type { Change, Detector, Finding, Found, PlannedRequests, SeenCall, SeenWrite } from "./finding.ts";
import { changesOf, completed } from "./finding.ts";
import {
  ConflictDetector,
  HotLoopDetector,
  MissingRightDetector,
  RetryLoopDetector,
  SlowRequestDetector,
} from "./reconciles.ts";
import { FightDetector, StuckDeletionDetector } from "./objects.ts";
import {
  DeniedWriteDetector,
  FailingWebhookDetector,
  RestlessWebhookDetector,
  SlowWebhookDetector,
  UndoneWriteDetector,
} from "./webhooks.ts";
import { type Call, type Reconcile, callOf, reconcileOf, sampleOf } from "../timed.ts";
import { patchedObject } from "../webhook-call.ts";
import { requestTarget, verbOf } from "../request-target.ts";

export type { Finding } from "./finding.ts";

/**
 * Finds probable mistakes in a record while it grows. Each line goes to all detectors, which keep what they need and report
 * on demand. A new kind of mistake is a new detector in the file of its subject, and a line in `#detectors`.
 */
export class Findings {
  readonly #denials = new DeniedWriteDetector();
  readonly #failures = new FailingWebhookDetector();
  readonly #detectors: readonly Detector[] = [
    new FightDetector(),
    new HotLoopDetector(),
    new RetryLoopDetector((error) => this.#denials.explains(error) || this.#failures.explains(error)),
    new MissingRightDetector(),
    new ConflictDetector(),
    new StuckDeletionDetector(),
    new SlowRequestDetector(),
    new BlockedLoopDetector(),
    new GrowingQueueDetector(),
    new GrowingMemoryDetector(),
    new SlowWebhookDetector(),
    this.#failures,
    this.#denials,
    new RestlessWebhookDetector(),
    new UndoneWriteDetector(),
  ];
  readonly #faults = new Faults();
  readonly #objects = new Map<string, SeenWrite["object"]>();
  readonly #writers = new WriterNames();
  #lastMoment = -Infinity;

  add(recorded: Recorded): void {
    const at = Date.parse(recorded.at);
    this.#lastMoment = Math.max(this.#lastMoment, at);
    if (recorded.type === "write") {
      const { object } = recorded;
      const isDeleting = object.metadata.deletionTimestamp != null;
      this.#see(recorded, { at, isDeleting, object: () => object });
    } else if (recorded.type === "reconcile") {
      const reconcile = reconcileOf(recorded);
      this.#lastMoment = Math.max(this.#lastMoment, reconcile.to);
      const planned = this.#faults.takeMetBy(reconcile);
      for (const detector of this.#detectors) detector.seeReconcile?.(reconcile, planned);
    } else if (recorded.type === "webhook") {
      const seen = seenCall(callOf(recorded, at));
      this.#lastMoment = Math.max(this.#lastMoment, seen.call.to);
      for (const detector of this.#detectors) detector.seeCall?.(seen);
    } else if (recorded.type === "fault") this.#faults.add(recorded, at);
    else if (recorded.type === "sample") {
      const sample = sampleOf(recorded);
      for (const detector of this.#detectors) detector.seeSample?.(sample);
    }
  }

  /** Adds a write of a running session. The bytes of its object are kept, which the record in memory keeps anyway. */
  addWrite(at: string, { type, bytes, ...write }: ClusterWrite): void {
    const object = (): KubernetesObject => {
      const parsed = JSON.parse(bytes.toString()) as KubernetesObject;
      return write.resource === "secrets" ? hideSecret(parsed) : parsed;
    };
    const isDeleting = bytes.includes('"deletionTimestamp"');
    this.#lastMoment = Math.max(this.#lastMoment, Date.parse(at));
    this.#see({ ...write, write: type }, { at: Date.parse(at), isDeleting, object });
  }

  #see(
    { resource, key, write, by }: Pick<RecordedWrite, "resource" | "key" | "write" | "by">,
    rest: Pick<SeenWrite, "at" | "isDeleting" | "object">,
  ): void {
    const place = placeName({ resource, key });
    const before = this.#objects.get(place);
    if (write === "DELETED") this.#objects.delete(place);
    else this.#objects.set(place, rest.object);
    let changes: readonly Change[] | undefined;
    const seen: SeenWrite = {
      ...rest,
      place,
      key,
      write,
      by,
      writer: this.#writers.of(by),
      changes: () => (changes ??= before === undefined ? [] : changesOf(before(), rest.object())),
    };
    for (const detector of this.#detectors) detector.seeWrite?.(seen);
  }

  /** Returns the findings at a moment, sorted by their first event. Default: the last moment of the record. */
  list(now = this.#lastMoment): readonly Finding[] {
    const found = this.#detectors.flatMap((detector): readonly (Found | Finding)[] => detector.found(now));
    return found.map((one) => (isComplete(one) ? one : completed(one))).sort((a, b) => a.from - b.from);
  }
}

function isComplete(found: Found): found is Finding {
  return found.places !== undefined && found.requests !== undefined;
}

/** Caches the names of writers: there are few of them and many writes. */
class WriterNames {
  readonly #byUser = new Map<string, Map<string | undefined, string>>();

  of(by: RecordedWrite["by"]): string {
    if (by === undefined) return writerName(by);
    let names = this.#byUser.get(by.user);
    if (names === undefined) this.#byUser.set(by.user, (names = new Map()));
    let name = names.get(by.userAgent);
    if (name === undefined) names.set(by.userAgent, (name = writerName(by)));
    return name;
  }
}

/** The difference in milliseconds between the clocks of dev and of the operator; dev may be late when it is busy. */
const clockInaccuracy = 5;

/** Limits the faults that are kept for the end of their reconcile: those outside of a reconcile have none. */
const mostFaults = 1000;

interface SeenFault extends Pick<RecordedFault, "verb" | "resource" | "code" | "delay"> {
  readonly at: number;
}

/** Finds the requests that failed or waited because a user planned it on the page. */
class Faults {
  #faults: SeenFault[] = [];

  add({ verb, resource, code, delay }: RecordedFault, at: number): void {
    this.#faults.push({ at, verb, resource, code, delay });
    if (this.#faults.length > mostFaults) this.#faults.shift();
  }

  /** Returns the requests of a reconcile that met a fault, and forgets these faults: each explains one request. */
  takeMetBy({ requests, from, to, outcome }: Reconcile): PlannedRequests {
    const met = new Set<Reconcile["requests"][number]>();
    if (this.#faults.length === 0) return met;
    const until = outcome === "unfinished" ? Infinity : to + clockInaccuracy;
    for (const request of requests) {
      const found = this.#faults.findIndex(
        (fault) => fault.at >= from - clockInaccuracy && fault.at <= until && explainsRequest(fault, request),
      );
      if (found === -1) continue;
      this.#faults.splice(found, 1);
      met.add(request);
    }
    return met;
  }
}

function explainsRequest(
  { verb, resource, code, delay = 0 }: SeenFault,
  { method, path, code: answer, seconds }: Reconcile["requests"][number],
): boolean {
  const target = requestTarget(path);
  if (target === undefined || verbOf(method, path, target) !== verb) return false;
  const { subresource } = target;
  const name = subresource === undefined ? target.resource : `${target.resource}/${subresource}`;
  return name === resource && (code === undefined ? seconds * 1000 >= delay : answer === String(code));
}

function seenCall(call: Call): SeenCall {
  let patched: { readonly object: KubernetesObject | undefined } | undefined;
  return { call, patched: () => (patched ??= { object: patchedObject(call) }).object };
}
