import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiObject } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../testing/index.ts";
import { openWatch, type OpenWatch } from "../testing/testdata/open-watch.ts";

let cluster: TestCluster;
let clock: FakeClock;
let collection: Collection;
let listeners: number;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startTestCluster({ clock });
  collection = cluster.core.registry.findKind("", "ConfigMap")!.collection;
  listeners = 0;
  const listen = collection.listen.bind(collection);
  vi.spyOn(collection, "listen").mockImplementation((listener) => {
    const stop = listen(listener);
    listeners++;
    let isListening = true;
    return () => {
      if (isListening) listeners--;
      isListening = false;
      stop();
    };
  });
});
afterEach(() => cluster.stop());

const namespaces = ["one", "two"] as const;
const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

interface Watch extends OpenWatch {
  /** `ADDED one/a 17`, for what it is to see of a change. */
  readonly expected: (change: Written) => string | undefined;
  readonly isPartial: boolean;
  readonly isShort: boolean;
  /** The last revision that it is to see: at the end of a short one, what was written is on its way. */
  end: number;
  isClosed: boolean;
}

interface Written {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** True if a selector matches the object before and after the change; undefined if it did not or does not exist. */
  readonly before: boolean | undefined;
  readonly after: boolean | undefined;
}

/** A random life of many watchers: they come and go between writes, some with selectors, and some are told the time. */
class Walk {
  readonly written: Written[] = [];
  readonly watches: Watch[] = [];
  #state: number;

  /** What every cluster has was written before. */
  readonly #first = cluster.core.store.revision;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (this.#state * 48271) % 2147483647;
    return this.#state % count;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  async step(): Promise<void> {
    const kind = this.below(20);
    if (kind < 11) this.write(this.pick(namespaces), this.pick(["a", "b", "c"]));
    else if (kind < 13) this.remove(this.pick(namespaces), this.pick(["a", "b", "c"]));
    else if (kind < 16) await this.open();
    else if (kind === 16 && this.watches.length > 0) this.close(this.pick(this.watches));
    else if (kind === 17) this.wait();
    else await setImmediate();
  }

  write(namespace: string, name: string, matches = this.below(2) === 0): void {
    const before = this.#isMatched(namespace, name);
    const metadata = { namespace, name, labels: { tier: matches ? "front" : "back" } };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata } as unknown as ApiObject;
    const { revision } = cluster.core.store.put(collection, `${namespace}/${name}`, object);
    this.written.push({ namespace, name, revision, before, after: matches });
  }

  remove(namespace: string, name: string): void {
    const before = this.#isMatched(namespace, name);
    const entry = collection.get(`${namespace}/${name}`);
    if (!entry) return;
    const { revision } = cluster.core.store.remove(collection, entry);
    this.written.push({ namespace, name, revision, before, after: undefined });
  }

  async open(): Promise<void> {
    const namespace = this.pick([undefined, ...namespaces]);
    const isSelecting = this.below(3) === 0;
    const isPartial = this.below(3) === 0;
    const start =
      this.below(2) === 0 ? cluster.core.store.revision : (this.pick(this.written)?.revision ?? this.#first);
    const path = namespace ? `/api/v1/namespaces/${namespace}/configmaps` : "/api/v1/configmaps";
    const selector = isSelecting ? "&labelSelector=tier%3Dfront" : "";
    const isShort = this.below(3) === 0;
    const options = `allowWatchBookmarks=${this.below(2) === 0}&timeoutSeconds=${isShort ? 30 : 100_000}`;
    const query = `watch=1&${options}&resourceVersion=${start}${selector}`;
    const opening = openWatch(cluster.kubeconfig, `${path}?${query}`, isPartial ? partial : undefined);
    // The watch joins its group while lines are on their way.
    const isOpen = opening.then(() => true);
    while (!(await Promise.race([isOpen, setImmediate(false)]))) this.write("one", "d", true);
    const expected = (change: Written): string | undefined => {
      const isSeen = change.revision > start && (!namespace || change.namespace === namespace);
      const type = isSeen && typeOf(change, isSelecting);
      return type ? `${type} ${change.namespace}/${change.name} ${change.revision}` : undefined;
    };
    const rest = { expected, isPartial, isShort, end: Infinity, isClosed: false };
    this.watches.push({ ...(await opening), ...rest });
  }

  /** Bookmarks are sent, and short watches end, while what was written just now is on its way. */
  wait(): void {
    this.write(this.pick(namespaces), "c");
    for (const watch of this.watches.filter(({ isShort }) => isShort))
      watch.end = Math.min(watch.end, cluster.core.store.revision);
    clock.advanceSync(61_000);
  }

  close(watch: Watch): void {
    watch.isClosed = true;
    watch.close();
  }

  #isMatched(namespace: string, name: string): boolean | undefined {
    return this.written.findLast((change) => change.namespace === namespace && change.name === name)?.after;
  }
}

function typeOf({ before, after }: Written, isSelecting: boolean): string | undefined {
  const [was, is] = isSelecting ? [before, after] : [before !== undefined, after !== undefined];
  if (was) return is ? "MODIFIED" : "DELETED";
  return is ? "ADDED" : undefined;
}

test.each([1, 2, 3, 4, 5, 6])(
  "watchers that come and go see each change once, in order, and bookmarks at their place: seed %i",
  async (seed) => {
    const walk = new Walk(seed);
    for (let step = 0; step < 150; step++) await walk.step();
    for (const namespace of namespaces) walk.write(namespace, "last", true);
    for (const { events, ended, expected, end, isClosed, isPartial } of walk.watches) {
      const all = walk.written
        .filter(({ revision }) => revision <= end)
        .flatMap((change) => expected(change) ?? []);
      if (isClosed || end < Infinity) await ended;
      else await until(() => events.some(({ object }) => isAt(object, all.at(-1)!)));
      const kind = isPartial ? "PartialObjectMetadata" : "ConfigMap";
      expect(events.filter(({ object }) => (object as { kind?: string }).kind !== kind)).toEqual([]);
      const seen: string[] = [];
      // How many changes came before each bookmark.
      const bookmarks = { at: [] as number[], expected: [] as number[] };
      for (const { type, object } of events) {
        const { namespace, name, resourceVersion } = object.metadata as {
          namespace?: string;
        } & typeof object.metadata;
        if (type !== "BOOKMARK") seen.push(`${type} ${namespace}/${name} ${resourceVersion}`);
        else {
          bookmarks.at.push(seen.length);
          bookmarks.expected.push(all.filter((line) => revisionOf(line) <= Number(resourceVersion)).length);
        }
      }
      expect(bookmarks.at).toEqual(bookmarks.expected);
      expect(seen).toEqual(isClosed ? all.slice(0, seen.length) : all);
    }
    for (const watch of walk.watches) watch.close();
    await until(() => listeners === 0);
  },
);

test("watchers that see the same events are told together, and those of other objects or forms apart", async () => {
  const path = "/api/v1/configmaps?watch=1&resourceVersion=1";
  const open = (of = path, accept?: string): Promise<OpenWatch> => openWatch(cluster.kubeconfig, of, accept);
  await Promise.all([open(), open(), open(`${path}&allowWatchBookmarks=true`)]);
  await until(() => listeners > 0);
  expect(listeners).toBe(1);
  await Promise.all([open(path, partial), open(path, partial)]);
  await until(() => listeners === 2);
  await open(path.replace("v1/", "v1/namespaces/one/"));
  await until(() => listeners === 3);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const revisionOf = (line: string): number => Number(line.split(" ").at(-1));

const isAt = ({ metadata }: { metadata: { resourceVersion?: string } }, line: string): boolean =>
  Number(metadata.resourceVersion) === revisionOf(line);
