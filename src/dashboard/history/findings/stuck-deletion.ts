import type { Detector, Finding, SeenWrite } from "./finding.ts";
import { listed, span } from "./words.ts";

/** In milliseconds. */
const patience = 30_000;

interface Deletion {
  readonly place: string;
  readonly name: string;
  readonly from: number;
  finalizers: readonly string[];
  /** When it ended. */
  to?: number;
}

/** Objects whose finalizers keep them. */
export class StuckDeletionDetector implements Detector {
  readonly #running = new Map<string, Deletion>();
  readonly #ended: Deletion[] = [];

  seeWrite({ place, key, at, write, object }: SeenWrite): void {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    const isHeld = write !== "DELETED" && deletionTimestamp != null && finalizers.length > 0;
    const running = this.#running.get(place);
    if (running === undefined) {
      if (!isHeld) return;
      const from = write === "KEPT" ? Math.min(at, Date.parse(deletionTimestamp)) : at;
      this.#running.set(place, { place, name: `${object.kind} ${key}`, from, finalizers });
    } else if (isHeld) {
      running.finalizers = finalizers;
    } else {
      this.#running.delete(place);
      if (at - running.from > patience) this.#ended.push({ ...running, to: at });
    }
  }

  found(now: number): Finding[] {
    const waiting = [...this.#running.values()].filter(({ from }) => now - from > patience);
    return [...this.#ended, ...waiting].map(({ place, name, from, to, finalizers }) => {
      const took = span((to ?? now) - from);
      const waited = to === undefined ? `has been waiting for ${took} for` : `waited ${took} for`;
      return {
        kind: "stuck deletion",
        title: to === undefined ? `${name} can't be deleted` : `${name} was deleted late`,
        text: `The deletion of ${name} ${waited} ${finalizers.length === 1 ? "the finalizer" : "the finalizers"} ${listed(finalizers)}: ${adviceFor(finalizers)}`,
        from,
        at: to ?? now,
        places: [place],
        requests: [],
      };
    });
  }
}

function adviceFor(finalizers: readonly string[]): string {
  if (finalizers.includes("foregroundDeletion")) return "see what it owns that is still there";
  return "see whether the controller that set it runs, and removes it when its work is done";
}
