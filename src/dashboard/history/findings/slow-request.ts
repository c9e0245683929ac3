import type { Reconcile } from "../history.ts";
import { isWrite, requestTarget } from "../request-target.ts";
import { Episodes } from "./episodes.ts";
import type { AskedRequests, Detector, Finding, FoundRequest, SeenCall } from "./finding.ts";
import { WaitedCalls } from "./waited-calls.ts";
import { listed, span } from "./words.ts";

/** In seconds. */
const limit = 1;

interface Slow {
  readonly controller: string;
  readonly method: string;
  readonly resource: string;
  readonly mayAskWebhook: boolean;
  seconds: number;
  /** The webhooks for which it waited. */
  readonly webhooks: Set<string>;
  readonly requests: Map<string, FoundRequest>;
}

/** Requests that are answered late, but for those that only wait for a webhook that is told of itself. */
export class SlowRequestDetector implements Detector {
  readonly #slow = new Episodes<Slow>({ least: 1, pause: 60_000 });

  readonly #waited = new WaitedCalls();

  seeCall({ call }: SeenCall): void {
    this.#waited.add(call);
  }

  seeReconcile(reconcile: Reconcile, asked: AskedRequests): void {
    const { controller, request, requests, from } = reconcile;
    for (const one of requests) {
      const { method, path, seconds } = one;
      const resource = seconds > limit && !asked.has(one) ? requestTarget(path)?.resource : undefined;
      if (resource === undefined) continue;
      const { names, isToldOf, milliseconds } = this.#waited.during(reconcile, { method, path });
      if (isToldOf && seconds * 1000 - milliseconds <= limit * 1000) continue;
      const mayAskWebhook = isWrite(method, path);
      const slow = this.#slow.hit([controller, method, resource].join("\n"), from, () => ({
        controller,
        method,
        resource,
        mayAskWebhook,
        seconds,
        webhooks: new Set(),
        requests: new Map(),
      }));
      for (const name of names) slow.webhooks.add(name);
      slow.seconds = Math.max(slow.seconds, seconds);
      slow.requests.set(request, { controller, request });
    }
  }

  found(): Finding[] {
    return this.#slow.told.map(({ count, from, at, detail }) => {
      const { controller, method, resource, mayAskWebhook, webhooks, seconds, requests } = detail;
      const most = span(seconds * 1000);
      const took =
        count === 1
          ? `A ${method} of ${resource} took ${most}`
          : `${count} requests to ${method} ${resource} took more than ${limit} s, up to ${most},`;
      const advice =
        webhooks.size > 0
          ? `a part of it waited for the ${listed([...webhooks])}`
          : mayAskWebhook
            ? "see whether a webhook for this resource is slow"
            : "see whether it reads more than it needs";
      return {
        kind: "slow request",
        title: `${method} of ${resource} is slow`,
        text: `${took} in reconciles of ${controller}: ${advice}`,
        from,
        at,
        places: [],
        requests: [...requests.values()],
      };
    });
  }
}
