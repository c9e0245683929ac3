import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Check, Effect, LeadsTo, Phase, Promises, State, TraceEvent } from "../contract/index.ts";
import { refTextOf } from "../contract/state.ts";
import type { World } from "./world.ts";

/** Checks the promises of a scenario while it runs. Each broken one is recorded once. */
export function watchPromises(world: World, promises: Promises): PromiseWatch {
  return new PromiseWatch(world, promises);
}

/** Milliseconds without an effect after which a state is checked again, at the later time: it may be about dates. */
const longTime = 1000;

/** Something that must follow, because what leads to it has held. */
interface Pending {
  readonly object: KubernetesObject | undefined;
  /** The time at which it held. */
  readonly since: number;
}

class PromiseWatch {
  readonly #world: World;
  readonly #promises: Promises;
  readonly #broken = new Set<string>();
  /** The state after the last effect, if states are checked at all. */
  #last: State | undefined;
  readonly #seen = new Map<string, Set<string>>();
  readonly #pending = new Map<string, Map<string, Pending>>();
  /** The time of the last disturbance, and the number of trace events in which it was looked for. */
  #disturbed = { at: 0, events: 0 };
  #failure: { readonly error: unknown } | undefined;

  constructor(world: World, promises: Promises) {
    this.#world = world;
    this.#promises = promises;
    const { always, never, atMostOnce, leadsTo } = promises;
    const checksStates = Object.keys({ ...always, ...never, ...leadsTo }).length > 0;
    if (checksStates || Object.keys({ ...atMostOnce }).length > 0)
      world.onEffect = (effect) =>
        this.#attempt(() => {
          this.#checkElapsed();
          if (!effect) return;
          if (checksStates) this.#checkState((this.#last = world.state()), effect);
          if (world.isProcess(effect.by)) this.#checkRepetition(effect);
        });
  }

  /** A phase has ended. Throws what a check of the user has thrown. */
  end(phase: Phase, rests: boolean): void {
    if (rests) this.#attempt(() => this.#checkRest(phase));
    if (this.#failure) throw this.#failure.error;
  }

  /** Runs checks in an environment of their own: `Date` is that of the API server. */
  #attempt(check: () => void): void {
    try {
      this.#world.as("promises", check);
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Checks the state that has lasted until now, and what should have followed by now. */
  #checkElapsed(): void {
    const { date } = this.#world;
    if (this.#last && date - this.#last.now >= longTime) this.#checkState({ ...this.#last, now: date });
    for (const [name, { within }] of Object.entries(this.#promises.leadsTo ?? {}))
      for (const { object, since } of this.#pending.get(name)?.values() ?? [])
        if (within !== undefined && this.#timeSince(since) > durationOf(within))
          this.#break("leadsTo", name, object && refTextOf(object));
  }

  #checkState(state: State, effect?: Effect): void {
    const { always, never, leadsTo = {} } = this.#promises;
    this.#checkAll("always", always, true, state, effect);
    this.#checkAll("never", never, false, state, effect);
    for (const [name, promise] of Object.entries(leadsTo)) this.#follow(name, promise, state, effect);
  }

  #checkAll(
    promise: "always" | "never" | "eventually" | "afterDeletion",
    checks: { readonly [name: string]: Check } = {},
    wanted: boolean,
    state: State,
    effect?: Effect,
  ): void {
    for (const [name, holds] of Object.entries(checks))
      if (holds(state, effect) !== wanted) this.#break(promise, name);
  }

  /** Notes what must follow from a state, and forgets what has followed. */
  #follow(name: string, promise: LeadsTo, state: State, effect: Effect | undefined): void {
    const pending = this.#pending.get(name) ?? new Map<string, Pending>();
    this.#pending.set(name, pending);
    const causes: (KubernetesObject | undefined)[] =
      "each" in promise ? [...promise.each(state)] : promise.when(state, effect) ? [undefined] : [];
    for (const object of causes) {
      const key = object?.metadata.uid ?? (object ? refTextOf(object) : "");
      if (!pending.has(key)) pending.set(key, { object, since: this.#world.loop.now });
    }
    for (const [key, { object }] of pending)
      if ("each" in promise ? promise.follows(state, object!) : promise.follows(state)) pending.delete(key);
  }

  #checkRepetition(effect: Effect): void {
    for (const [name, keyOf] of Object.entries(this.#promises.atMostOnce ?? {})) {
      const key = keyOf(effect);
      if (key === undefined) continue;
      const seen = this.#seen.get(name) ?? new Set();
      this.#seen.set(name, seen);
      if (seen.has(key)) this.#break("atMostOnce", name, key);
      seen.add(key);
    }
  }

  #checkRest(phase: Phase): void {
    const { eventually, afterDeletion, leadsTo = {} } = this.#promises;
    this.#checkElapsed();
    const state = this.#world.state();
    const isEnd = phase === "deletion";
    if (isEnd) this.#checkAll("afterDeletion", afterDeletion, true, state);
    else this.#checkAll("eventually", eventually, true, state);
    for (const [name, { within }] of Object.entries(leadsTo))
      for (const { object } of this.#pending.get(name)?.values() ?? [])
        if (within === undefined || isEnd) this.#break("leadsTo", name, object && refTextOf(object));
  }

  #break(promise: keyof Promises, name: string, about?: string): void {
    const key = `${promise} ${name}`;
    if (this.#broken.has(key)) return;
    this.#broken.add(key);
    this.#world.recorder.add({ type: "promise", promise, name, ...(about !== undefined && { about }) });
  }

  /** Returns the milliseconds since a moment, or since the last disturbance after it. */
  #timeSince(moment: number): number {
    const { loop, recorder, faults } = this.#world;
    for (; this.#disturbed.events < recorder.trace.length; this.#disturbed.events++) {
      const event = recorder.trace[this.#disturbed.events]!;
      if (disturbs(event)) this.#disturbed.at = event.at;
    }
    const ends = faults.timed.flatMap((fault) =>
      "for" in fault && fault.at <= loop.now ? [Math.min(fault.at + fault.for, loop.now)] : [],
    );
    return loop.now - Math.max(moment, this.#disturbed.at, ...ends);
  }
}

/** Returns whether an operator may need more time after an event. */
function disturbs(event: TraceEvent): boolean {
  const { type } = event;
  if (type === "request") return event.status === 0;
  if (type === "call") return event.status === undefined;
  return type === "fault" || type === "died" || type === "start";
}

function durationOf(within: string | number): number {
  return typeof within === "number" ? within : parseDuration(within);
}
