import { isEqual } from "@tsbuilder/apimachinery/json";
import { restorer } from "../recorded.ts";
import type { Change, Detector, Found, SeenWrite } from "./finding.ts";
import { Episodes, groupBy, listed, shortValue, span, times, together } from "./finding.ts";

/** The number of times that a value must be changed back. */
const leastReversals = 3;

interface LastChange extends Change {
  readonly writer: string;
}

interface Fight {
  readonly place: string;
  readonly name: string;
  readonly path: string;
  readonly writers: readonly [string, string];
  readonly values: readonly [unknown, unknown];
}

/** Finds two writers that set the same field in turn. */
export class FightDetector implements Detector {
  readonly #writers = new Map<string, string | true>();
  readonly #changes = new Map<string, Map<string, LastChange>>();
  readonly #fights = new Episodes<Fight>({ least: leastReversals });

  seeWrite(write: SeenWrite): void {
    const { place } = write;
    if (write.write === "DELETED") {
      this.#writers.delete(place);
      this.#changes.delete(place);
      return;
    }
    if (write.by?.user === restorer) return void this.#changes.delete(place);
    if (write.write === "KEPT" || !this.#hasSeveral(place, write.writer) || write.write === "ADDED") return;
    for (const change of write.changes()) this.#seeChange(write, change);
  }

  /** Returns true if an object has several writers. Most have one, and then no states are compared. */
  #hasSeveral(place: string, writer: string): boolean {
    const known = this.#writers.get(place) ?? writer;
    const now = known === writer ? writer : true;
    this.#writers.set(place, now);
    return now === true;
  }

  #seeChange({ place, key, at, writer, object }: SeenWrite, change: Change): void {
    const { path, before, after } = change;
    let changes = this.#changes.get(place);
    if (changes === undefined) this.#changes.set(place, (changes = new Map()));
    const last = changes.get(path);
    changes.set(path, { ...change, writer });
    const id = `${place}\n${path}`;
    const isReversal =
      last !== undefined &&
      last.writer !== writer &&
      isEqual(last.before, after) &&
      isEqual(last.after, before);
    const between = this.#fights.detailOf(id)?.writers ?? [writer];
    if (!between.includes(writer)) this.#fights.end(id);
    if (!isReversal) return;
    this.#fights.hit(id, at, () => ({
      place,
      name: `${object().kind} ${key}`,
      path,
      writers: [last.writer, writer],
      values: [last.after, after],
    }));
  }

  /** Returns one finding for the fights of two writers over fields of one object. */
  found(): Found[] {
    const groups = groupBy(this.#fights.counted, ({ detail: { place, writers } }) =>
      [place, ...writers.toSorted()].join("\n"),
    );
    return [...groups.values()].map((fights): Found => {
      const { place, name, writers, values } = fights[0]!.detail;
      const paths = [...new Set(fights.map(({ detail }) => detail.path))];
      const { count, from, at } = together(fights);
      const set = paths.length === 1 ? `, to ${shortValue(values[0])} and to ${shortValue(values[1])}` : "";
      return {
        kind: "fight",
        title: `${writers.join(" and ")} fight over ${listed(paths)} of ${name}`,
        text: `${writers.join(" and ")} set ${listed(paths)} of ${name} in turn${set}, and changed it back ${times(count)}: let only one of them set it, and omit it from what the other one writes`,
        from,
        at,
        places: [place],
      };
    });
  }
}

/** The time in milliseconds that finalizers may take. */
const mostFinalizerTime = 30_000;

interface Deletion {
  readonly place: string;
  readonly name: string;
  readonly from: number;
  finalizers: readonly string[];
  to?: number;
}

/** Finds objects whose finalizers delay their deletion. */
export class StuckDeletionDetector implements Detector {
  readonly #running = new Map<string, Deletion>();
  readonly #ended: Deletion[] = [];

  seeWrite({ place, key, at, write, isDeleting, object }: SeenWrite): void {
    const running = this.#running.get(place);
    if (running === undefined && !isDeleting) return;
    const { kind, metadata } = object();
    const { deletionTimestamp, finalizers = [] } = metadata;
    const isWaiting = write !== "DELETED" && deletionTimestamp != null && finalizers.length > 0;
    if (running === undefined) {
      if (!isWaiting) return;
      const from = write === "KEPT" ? Math.min(at, Date.parse(deletionTimestamp)) : at;
      this.#running.set(place, { place, name: `${kind} ${key}`, from, finalizers });
    } else if (isWaiting) {
      running.finalizers = finalizers;
    } else {
      this.#running.delete(place);
      if (at - running.from > mostFinalizerTime) this.#ended.push({ ...running, to: at });
    }
  }

  found(now: number): Found[] {
    const waiting = [...this.#running.values()].filter(({ from }) => now - from > mostFinalizerTime);
    return [...this.#ended, ...waiting].map(({ place, name, from, to, finalizers }) => {
      const took = span((to ?? now) - from);
      const waited = to === undefined ? `has been waiting for ${took} for` : `waited ${took} for`;
      return {
        kind: "stuck deletion",
        title: to === undefined ? `${name} can't be deleted` : `${name} was deleted late`,
        text: `The deletion of ${name} ${waited} ${finalizers.length === 1 ? "the finalizer" : "the finalizers"} ${listed(finalizers)}: ${finalizerAdvice(finalizers)}`,
        // At an earlier moment it was no finding yet.
        from: from + mostFinalizerTime,
        at: to ?? now,
        places: [place],
      };
    });
  }
}

/** Says what to look at while finalizers hold an object. */
export function finalizerAdvice(finalizers: readonly string[]): string {
  if (finalizers.includes("foregroundDeletion")) return "see what it owns that is still there";
  return "see whether the controller that set it runs, and removes it when its work is done";
}
