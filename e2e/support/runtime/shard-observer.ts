import {
  countRanges,
  hasRange,
  noRanges,
  parseRanges,
  type Ranges,
} from "../../../src/runtime/shards/ranges.ts";
import type { ProxiedRequest } from "../../../src/runtime/testing/fault-proxy.ts";

/**
 * Watches from outside what the processes of an operator send: whoever wrote an object keeps it busy until its Lease
 * doesn't claim the object's range any more.
 */
export class ShardObserver {
  /** A sentence for each write of an object that another process had not given up. */
  readonly clashes: string[] = [];
  readonly writes: { readonly process: string; readonly path: string }[] = [];
  readonly #claims = new Map<string, { readonly process: string; readonly claims: Ranges }>();
  readonly #busy = new Map<number, Set<string>>();
  readonly #rangeOf: (path: string) => number | undefined;

  /** Takes a function that finds the range of the object that a path names. */
  constructor(rangeOf: (path: string) => number | undefined) {
    this.#rangeOf = rangeOf;
  }

  /** The number of ranges that each Lease claims. */
  get shares(): number[] {
    return [...this.#claims.values()].map(({ claims }) => countRanges(claims));
  }

  sent(process: string, { method, path }: ProxiedRequest): void {
    if (method === "GET" || path.includes("/leases") || path.includes("/events")) return;
    this.writes.push({ process, path });
    const range = this.#rangeOf(path);
    if (range === undefined) return;
    const busy = this.#busy.get(range) ?? new Set();
    this.#busy.set(range, busy);
    for (const other of busy)
      if (other !== process) this.clashes.push(`${process} writes what ${other} has not given up: ${path}`);
    busy.add(process);
  }

  answered(process: string, { method, path, status = 0, text }: ProxiedRequest): void {
    const [, named] = /\/leases(?:\/([^?]*))?/.exec(path) ?? [];
    if (!path.includes("/leases") || method === "GET" || status >= 300) return;
    if (method === "DELETE" && named) return this.#claim(named, noRanges);
    const name = named ?? /"name":"([^"]+)"/.exec(text)?.[1];
    const claims = parseRanges(/"tsbuilder\.dev\/shard-claims":"([^"]+)"/.exec(text)?.[1]);
    // A body that came in pieces is not seen: then the former claims count.
    if (name === undefined || claims === undefined) return;
    this.#claims.set(name, { process, claims });
    this.#claim(name, claims);
  }

  #claim(lease: string, claims: Ranges): void {
    const known = this.#claims.get(lease);
    if (!known) return;
    this.#claims.set(lease, { ...known, claims });
    if (claims === noRanges) this.#claims.delete(lease);
    for (const [range, busy] of this.#busy) if (!hasRange(claims, range)) busy.delete(known.process);
  }
}
