import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";

/**
 * The passes of one request through the mutating plug-ins. When a webhook or a policy has changed the object, all
 * plug-ins see it once more; of the webhooks and policies those that ask for it.
 */
export class Rounds {
  #second = false;
  #needed = false;
  readonly #calls = new Map<string, Calls>();

  /** What a plug-in has called, in all rounds. */
  callsOf(plugin: string, object: ApiObject | undefined): Calls {
    const known = this.#calls.get(plugin) ?? new Calls(() => void (this.#needed = true));
    this.#calls.set(plugin, known);
    if (this.#second) known.startAgain(object);
    return known;
  }

  /** Begins the second round, if there has to be one; there is no third. */
  next(): boolean {
    if (this.#second || !this.#needed) return false;
    this.#second = true;
    return true;
  }
}

/** Which of a plug-in's webhooks or policies were called, and which are to be called again. */
export class Calls {
  readonly #tellChanged: () => void;
  readonly #repeatable = new Set<unknown>();
  readonly #due = new Set<unknown>();
  #second = false;
  #left: ApiObject | undefined;

  constructor(tellChanged: () => void) {
    this.#tellChanged = tellChanged;
  }

  /** What is called for the first time is called in the first round. */
  isDue(key: unknown): boolean {
    return !this.#second || this.#due.has(key);
  }

  /** Something has changed: who was remembered before is due again. */
  changed(): void {
    this.#repeatAll();
    this.#tellChanged();
  }

  /** Notes one that wants to be called again after a change. */
  remember(key: unknown): void {
    this.#repeatable.add(key);
  }

  /** Remembers the object of the round, if a later one may ask what has changed since. */
  end(object: ApiObject | undefined): void {
    if (this.#repeatable.size > 0 && !this.#second) this.#left = copyJSON(object);
  }

  startAgain(object: ApiObject | undefined): void {
    this.#second = true;
    if (this.#repeatable.size > 0 && !isEqual(this.#left, object)) this.#repeatAll();
  }

  #repeatAll(): void {
    for (const key of this.#repeatable) this.#due.add(key);
    this.#repeatable.clear();
  }
}
