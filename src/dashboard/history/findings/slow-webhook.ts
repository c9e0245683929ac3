import { isCallOf } from "../calls.ts";
import { type Call, type Reconcile } from "../history.ts";
import { webhookName } from "../verdict.ts";
import { CalledPlaces } from "./called-places.ts";
import { Episodes } from "./episodes.ts";
import type { Detector, Finding, FoundRequest, SeenCall } from "./finding.ts";
import { slowCall } from "./waited-calls.ts";
import { listed, span } from "./words.ts";

interface Slow {
  readonly first: Call;
  readonly operations: Set<string>;
  readonly places: CalledPlaces;
  readonly requests: Map<string, FoundRequest>;
  most: number;
}

/** So many of the last slow calls are compared with reconciles. */
const mostRecent = 20;

/** Webhooks that answer late. Those that don't answer at all fail. */
export class SlowWebhookDetector implements Detector {
  readonly #slow = new Episodes<Slow>({ least: 1, pause: 60_000 });
  #recent: { readonly call: Call; readonly slow: Slow }[] = [];

  seeCall({ call }: SeenCall): void {
    const took = call.to - call.from;
    if (took <= slowCall || call.failure !== undefined) return;
    const slow = this.#slow.hit(`${call.resource}\n${webhookName(call)}`, call.from, () => ({
      first: call,
      operations: new Set(),
      places: new CalledPlaces(),
      requests: new Map(),
      most: 0,
    }));
    slow.most = Math.max(slow.most, took);
    slow.operations.add(call.call === "conversion" ? "conversions" : call.operation);
    slow.places.add(call);
    this.#recent = [...this.#recent.slice(1 - mostRecent), { call, slow }];
  }

  /** Those that waited are named. */
  seeReconcile(reconcile: Reconcile): void {
    const { controller, request } = reconcile;
    for (const { call, slow } of this.#recent)
      if (isCallOf(call, reconcile)) slow.requests.set(`${controller}\n${request}`, { controller, request });
  }

  found(): Finding[] {
    return this.#slow.told.map(({ count, from, at, detail }) => {
      const { first, operations, places, requests, most } = detail;
      const name = webhookName(first);
      const calls = count === 1 ? "A call" : `${count} calls`;
      const took = count === 1 ? span(most) : `more than ${span(slowCall)}, up to ${span(most)}`;
      return {
        kind: "slow webhook",
        title: `${name} is slow`,
        text: `${calls} of the ${name} for ${listed([...operations])} of ${first.resource} took ${took}: who writes these waits for it, so leave to the reconciler what takes time`,
        from,
        at,
        places: places.all,
        requests: [...requests.values()],
        call: first.uid,
      };
    });
  }
}
