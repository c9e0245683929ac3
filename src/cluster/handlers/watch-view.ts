import type { Change } from "../storage/change.ts";
import type { Entry } from "../storage/entry.ts";
import type { ListOptions } from "./list-options.ts";
import type { Representation } from "./representation.ts";
import type { Target } from "./target.ts";
import { EventEncoder, type EventType } from "./watch-encoder.ts";

type Predicate = NonNullable<ListOptions["matches"]>;

interface ViewOptions {
  readonly target: Target;
  readonly matches: Predicate | undefined;
  readonly representation: Representation;
  readonly include: "None" | "Metadata" | "Object";
}

/** What a watcher sees of a resource: objects of its namespace that match its selectors, in a version and form. */
export class WatchView {
  readonly target: Target;
  readonly encoder: EventEncoder;
  /** What keys of the objects start with. */
  readonly prefix: string;
  readonly #matches: Predicate | undefined;
  readonly #form: Representation;

  constructor({ target, matches, representation, include }: ViewOptions) {
    const { resource, namespace } = target;
    this.target = target;
    this.encoder = new EventEncoder(target, representation, include);
    this.prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
    this.#matches = matches;
    this.#form = representation;
  }

  /**
   * The same for views of one resource that see the same lines. Rows of a Table depend on what came before them, and
   * lines that a webhook converts take time: views of these have none.
   */
  get key(): string | undefined {
    const { resource, version } = this.target;
    const { form, metaVersion } = this.#form;
    const isAlone = this.#matches || form === "table" || resource.renamesVersions === false;
    return isAlone ? undefined : `${version} ${form} ${metaVersion} ${this.prefix}`;
  }

  shows(entry: Entry): boolean {
    return this.#matches?.(entry.object) ?? true;
  }

  /** The line of a change, or undefined if it is not seen. A conversion webhook takes time. */
  line(change: Change): Buffer | undefined | Promise<Buffer | undefined> {
    if (!change.entry.key.startsWith(this.prefix)) return undefined;
    const known = this.#matches ? undefined : this.encoder.known(change, change.type);
    if (known) return known;
    const { resource, version } = this.target;
    const entry = resource.present(change.entry, version);
    const previous = change.previous && resource.present(change.previous, version);
    if (entry instanceof Promise || previous instanceof Promise) {
      return Promise.all([entry, previous]).then(([now, before]) => this.#encode(change, now, before));
    }
    return this.#encode(change, entry, previous);
  }

  #encode(change: Change, entry: Entry, previous: Entry | undefined): Buffer | undefined {
    const type = this.#matches ? transition(change, this.#matches, entry, previous) : change.type;
    return type && this.encoder.change(change, type, entry, previous);
  }
}

/** For this watcher, an object that starts to match is added, and one that no longer matches is deleted. */
function transition(
  change: Change,
  matches: Predicate,
  entry: Entry,
  previous: Entry | undefined,
): EventType | undefined {
  const before = previous !== undefined && matches(previous.object);
  const after = change.type !== "DELETED" && matches(entry.object);
  if (before) return after ? "MODIFIED" : "DELETED";
  return after ? "ADDED" : undefined;
}
