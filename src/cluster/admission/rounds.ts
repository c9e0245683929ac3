import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";

/**
 * The rounds of one request through the mutating plugins. If a webhook or a policy changes the object, all plugins run
 * a second time, with the webhooks and policies whose reinvocation policy is `IfNeeded`.
 */
export class Rounds {
  #second = false;
  #needed = false;
  readonly #calls = new Map<string, Calls>();

  /** The calls that a plugin has made, in all rounds. */
  callsOf(plugin: string, object: ApiObject | undefined): Calls {
    const known = this.#calls.get(plugin) ?? new Calls(() => void (this.#needed = true));
    this.#calls.set(plugin, known);
    if (this.#second) known.startAgain(object);
    return known;
  }

  /** Begins the second round if one is needed; there is no third. */
  next(): boolean {
    if (this.#second || !this.#needed) return false;
    this.#second = true;
    return true;
  }
}

/** Which of a plugin's webhooks or policies were called, and which must be called again. */
export class Calls {
  readonly #onChange: () => void;
  readonly #repeatable = new Set<unknown>();
  readonly #due = new Set<unknown>();
  #second = false;
  #left: ApiObject | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** In the first round everything is due; in the second only what a later change made due again. */
  isDue(key: unknown): boolean {
    return !this.#second || this.#due.has(key);
  }

  /** The object has changed: all keys remembered so far are due again. */
  changed(): void {
    this.#repeatAll();
    this.#onChange();
  }

  /** Remembers a webhook or policy that is called again after a change. */
  remember(key: unknown): void {
    this.#repeatable.add(key);
  }

  /** Keeps the object at the end of the first round, to compare it in the second. */
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
