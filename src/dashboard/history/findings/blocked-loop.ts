import type { Reconcile } from "../history.ts";
import type { Sample } from "../samples.ts";
import type { Detector, Finding, FoundRequest } from "./finding.ts";
import { listed, span, times } from "./words.ts";

/** Milliseconds for which the event loop may stand still. */
const limit = 200;
/** Operators load and compile much when they start. */
const startTime = 3000;
/** So many reconciles are remembered, and so many blocks wait for reconciles that end later. */
const [mostReconciles, mostBlocks] = [2000, 20];

interface Block {
  readonly from: number;
  readonly until: number;
  /** The reconciles that ran during most of it. */
  readonly suspects: FoundRequest[];
}

/** Code that let nothing else run. */
export class BlockedLoopDetector implements Detector {
  readonly #blocks: Block[] = [];
  #reconciles: Reconcile[] = [];

  seeReconcile(reconcile: Reconcile): void {
    this.#reconciles.push(reconcile);
    if (this.#reconciles.length > 2 * mostReconciles)
      this.#reconciles = this.#reconciles.slice(-mostReconciles);
    for (const block of this.#blocks.slice(-mostBlocks)) suspect(block, reconcile);
  }

  seeSample({ since, blocked, blockedUntil: until }: Sample): void {
    if (until === undefined || blocked <= limit || until - since < startTime) return;
    const block: Block = { from: until - blocked, until, suspects: [] };
    for (const reconcile of this.#reconciles) suspect(block, reconcile);
    this.#blocks.push(block);
  }

  found(): Finding[] {
    const byController = new Map<string | undefined, Block[]>();
    for (const block of this.#blocks) {
      const controller = block.suspects[0]?.controller;
      const known = byController.get(controller);
      if (known === undefined) byController.set(controller, [block]);
      else known.push(block);
    }
    return [...byController].map(([controller, blocks]) => {
      const longest = blocks.reduce((most, { from, until }) => Math.max(most, until - from), 0);
      const requests = usual(blocks);
      const [from, at] = [blocks[0]!.from, blocks.at(-1)!.until];
      const long =
        blocks.length === 1
          ? `for ${span(longest)}`
          : `${times(blocks.length)} in ${span(at - from)}, for up to ${span(longest)},`;
      const which = requests.map(({ request }) => request);
      return {
        kind: "blocked event loop",
        title:
          controller === undefined
            ? "The event loop is blocked outside of reconciles"
            : `${controller} blocks the event loop`,
        text:
          controller === undefined
            ? `Nothing in the operator could run ${long} while nothing was reconciled: look at webhooks, predicates, maps of events and scheduled work; compute in a worker thread, and wait with asynchronous functions`
            : `Nothing else in the operator could run ${long} while ${controller} reconciled ${listed(which)}: compute in a worker thread, and wait with asynchronous functions, not with those such as execSync`,
        from,
        at,
        places: [],
        requests,
      };
    });
  }
}

function suspect(block: Block, { controller, request, from, to, outcome }: Reconcile): void {
  const end = outcome === "unfinished" ? Infinity : to;
  const together = Math.min(end, block.until) - Math.max(from, block.from);
  if (together >= (block.until - block.from) / 2) block.suspects.push({ controller, request });
}

/** Who ran during at least half as many blocks as who ran during the most: several may run at once. */
function usual(blocks: readonly Block[]): FoundRequest[] {
  const counts = new Map<string, { readonly found: FoundRequest; count: number }>();
  for (const found of blocks.flatMap(({ suspects }) => suspects)) {
    const key = `${found.controller}\n${found.request}`;
    const counted = counts.get(key) ?? { found, count: 0 };
    counted.count++;
    counts.set(key, counted);
  }
  const sorted = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return sorted.filter(({ count }) => count * 2 >= sorted[0]!.count).map(({ found }) => found);
}
