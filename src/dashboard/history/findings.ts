import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { placeName } from "../../dev/record/places.ts";
import type { Recorded, RecordedWrite } from "../../dev/record/recorded.ts";
import { writerName } from "../../dev/record/writer-name.ts";
import { BlockedLoopDetector } from "./findings/blocked-loop.ts";
import { type Change, changesOf } from "./findings/changes.ts";
import { ConflictDetector } from "./findings/conflicts.ts";
import { Faults } from "./findings/faults.ts";
import { FightDetector } from "./findings/fight.ts";
import { DeniedWriteDetector } from "./findings/denied-writes.ts";
import { FailingWebhookDetector } from "./findings/failing-webhook.ts";
import type { Detector, Finding, SeenCall, SeenWrite } from "./findings/finding.ts";
import { GrowingMemoryDetector } from "./findings/growing-memory.ts";
import { GrowingQueueDetector } from "./findings/growing-queue.ts";
import { HotLoopDetector } from "./findings/hot-loop.ts";
import { MissingRightDetector } from "./findings/missing-right.ts";
import { RestlessWebhookDetector } from "./findings/restless-webhook.ts";
import { RetryLoopDetector } from "./findings/retry-loop.ts";
import { SlowRequestDetector } from "./findings/slow-request.ts";
import { SlowWebhookDetector } from "./findings/slow-webhook.ts";
import { StuckDeletionDetector } from "./findings/stuck-deletion.ts";
import { UndoneWriteDetector } from "./findings/undone-writes.ts";
import { type Call, callOf, timed } from "./history.ts";
import { patchedObject } from "./patched-object.ts";
import { sampleOf } from "./samples.ts";

export type { Finding } from "./findings/finding.ts";

/** Finds in a record, while it grows, what is likely to be a mistake. */
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
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #writers = new WriterNames();
  #to = -Infinity;

  add(recorded: Recorded): void {
    const at = Date.parse(recorded.at);
    this.#to = Math.max(this.#to, at);
    if (recorded.type === "write") {
      const write = this.#see(recorded, at);
      for (const detector of this.#detectors) detector.seeWrite?.(write);
    } else if (recorded.type === "reconcile") {
      const reconcile = timed(recorded);
      this.#to = Math.max(this.#to, reconcile.to);
      const asked = this.#faults.metBy(reconcile);
      for (const detector of this.#detectors) detector.seeReconcile?.(reconcile, asked);
    } else if (recorded.type === "webhook") {
      const seen = seenCall(callOf(recorded, at));
      this.#to = Math.max(this.#to, seen.call.to);
      for (const detector of this.#detectors) detector.seeCall?.(seen);
    } else if (recorded.type === "fault") this.#faults.add(recorded, at);
    else if (recorded.type === "sample") {
      const sample = sampleOf(recorded);
      for (const detector of this.#detectors) detector.seeSample?.(sample);
    }
  }

  #see({ resource, key, write, by, object }: RecordedWrite, at: number): SeenWrite {
    const place = placeName({ resource, key });
    const before = this.#objects.get(place);
    if (write === "DELETED") this.#objects.delete(place);
    else this.#objects.set(place, object);
    let changes: readonly Change[] | undefined;
    return {
      place,
      key,
      at,
      write,
      by,
      object,
      writer: this.#writers.of(by),
      changes: () => (changes ??= before === undefined ? [] : changesOf(before, object)),
    };
  }

  /** What was found up to a moment, by default the last one of the record; the first that began stands first. */
  list(now = this.#to): readonly Finding[] {
    return this.#detectors.flatMap((detector) => detector.found(now)).sort((a, b) => a.from - b.from);
  }
}

function seenCall(call: Call): SeenCall {
  let patched: { readonly object: KubernetesObject | undefined } | undefined;
  return { call, patched: () => (patched ??= { object: patchedObject(call) }).object };
}

/** Few write, and often. */
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
