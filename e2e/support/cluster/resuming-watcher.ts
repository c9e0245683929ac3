import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { type OpenWatch, openWatch } from "../../../src/cluster/testing/testdata/open-watch.ts";

/** An object of the API, as far as watchers look into it. */
export interface SeenObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

/** A watch event. The object of an ERROR is a Status. */
export interface ObjectEvent {
  readonly type: string;
  readonly object: SeenObject;
}

/** A watcher that goes on from the last revision it has seen whenever its server is back. It never lists. */
export class ResumingWatcher {
  readonly #path: string;
  readonly #start: string;
  readonly #past: ObjectEvent[] = [];
  #watch: OpenWatch | undefined;

  constructor(path: string, revision: string) {
    this.#path = path;
    this.#start = revision;
  }

  /** All events, from all servers. */
  get events(): readonly ObjectEvent[] {
    return [...this.#past, ...((this.#watch?.events ?? []) as ObjectEvent[])];
  }

  /** Watches on, after the former server has ended. */
  async resume(kubeconfig: Kubeconfig): Promise<void> {
    const revision = this.events.at(-1)?.object.metadata.resourceVersion ?? this.#start;
    this.#watch = await openWatch(kubeconfig, `${this.#path}?watch=1&resourceVersion=${revision}`);
  }

  /** Waits for the end of its server. */
  async ended(): Promise<void> {
    await this.#watch?.ended;
    this.#past.push(...((this.#watch?.events ?? []) as ObjectEvent[]));
    this.#watch = undefined;
  }
}

/** The objects that are left after some events, as `name@revision`. */
export function remaining(events: readonly ObjectEvent[]): string[] {
  const objects = new Map<string, string>();
  for (const { type, object } of events) {
    const { name, resourceVersion } = object.metadata;
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, `${name}@${resourceVersion}`);
  }
  return [...objects.values()].sort();
}
