import type { Call, Reconcile } from "../history.ts";
import { type RequestTarget, isWrite, placeOf, requestTarget, verbOf } from "../request-target.ts";
import {
  type AskedRequests,
  type Detector,
  Episodes,
  type Finding,
  type FoundRequest,
  type SeenCall,
  listed,
  span,
  times,
} from "./finding.ts";
import { isCallFor, isCallOf } from "../connections.ts";
import { webhookName } from "../webhook-call.ts";

/** The duration of a slow request in seconds. */
const limit = 1;

interface Slow {
  readonly controller: string;
  readonly method: string;
  readonly resource: string;
  readonly mayAskWebhook: boolean;
  seconds: number;
  /** The names of the webhooks for which the requests waited. */
  readonly webhooks: Set<string>;
  readonly requests: Map<string, FoundRequest>;
}

/** Finds slow requests, except for those that only waited for a webhook that has a finding of its own. */
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
      const { names, hasSlowCall, milliseconds } = this.#waited.during(reconcile, { method, path });
      if (hasSlowCall && seconds * 1000 - milliseconds <= limit * 1000) continue;
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
    return this.#slow.counted.map(({ count, from, at, detail }) => {
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

/** The duration in milliseconds from which on a webhook call is a finding of its own. */
export const slowCall = 1000;

/** Shorter calls, in milliseconds, make no request slow. */
const shortest = 50;

/** The number of calls that are kept for each resource. */
const mostCalls = 100;

/** The webhook calls for which a request waited. */
interface Waited {
  readonly names: readonly string[];
  /** The time during which at least one of the calls ran. */
  readonly milliseconds: number;
  /** True if one of the calls is slow by itself. */
  readonly hasSlowCall: boolean;
}

/** Remembers the last webhook calls for which a request may have waited. */
class WaitedCalls {
  readonly #calls = new Map<string, Call[]>();

  add(call: Call): void {
    if (call.to - call.from < shortest) return;
    const calls = this.#calls.get(call.resource) ?? [];
    this.#calls.set(call.resource, calls);
    calls.push(call);
    if (calls.length > mostCalls) calls.shift();
  }

  /** Returns the calls that a request of a reconcile caused. */
  during(reconcile: Reconcile, { method, path }: { readonly method: string; readonly path: string }): Waited {
    const calls = [...this.#calls.values()]
      .flat()
      .filter((call) => isCallFor(call, method, path) && isCallOf(call, reconcile));
    return {
      names: [...new Set(calls.map(webhookName))],
      milliseconds: covered(calls),
      hasSlowCall: calls.some((call) => call.to - call.from > slowCall),
    };
  }
}

/** Returns the time that calls cover together: validating webhooks are called in parallel. */
function covered(calls: readonly Call[]): number {
  let [sum, end] = [0, -Infinity];
  for (const { from, to } of calls.toSorted((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

interface Refusal {
  readonly controller: string;
  readonly group: string;
  /** Without the group: `statefulsets/status`. */
  readonly resource: string;
  readonly verbs: Set<string>;
  readonly requests: Map<string, FoundRequest>;
}

/** Matches the errors of refusals (403) for other reasons than RBAC. */
const otherReasons =
  /admission webhook|ValidatingAdmissionPolicy|exceeded quota|because it is being terminated|violates PodSecurity/u;

/** Finds requests that RBAC forbids. */
export class MissingRightDetector implements Detector {
  readonly #refusals = new Episodes<Refusal>({ least: 1 });

  seeReconcile({ controller, request, requests, from, error = "" }: Reconcile, asked: AskedRequests): void {
    if (otherReasons.test(error)) return;
    for (const one of requests) {
      const { method, path, code } = one;
      const target = code === "403" && !asked.has(one) ? requestTarget(path) : undefined;
      if (target === undefined) continue;
      const key = [controller, target.resource, target.subresource].join("\n");
      const refusal = this.#refusals.hit(key, from, () => refusalOf(controller, target));
      refusal.verbs.add(verbOf(method, path, target));
      refusal.requests.set(request, { controller, request });
    }
  }

  found(): Finding[] {
    return this.#refusals.counted.map(({ count, from, at, detail }) => {
      const { controller, group, resource, verbs, requests } = detail;
      const what = `${listed([...verbs])} ${resource}`;
      const groups = group === "" ? '""' : group;
      const marker = `// +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${[...verbs].join(";")}`;
      return {
        kind: "missing right",
        title: `${controller} is not allowed to ${what}`,
        text: `The API server refused ${controller} ${times(count)} to ${what}${group === "" ? "" : ` in ${group}`}: add the marker ${marker} to its controller`,
        from,
        at,
        places: [],
        requests: [...requests.values()],
      };
    });
  }
}

function refusalOf(controller: string, { resource, subresource }: RequestTarget): Refusal {
  const [plural = "", ...group] = resource.split(".");
  return {
    controller,
    group: group.join("."),
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    verbs: new Set(),
    requests: new Map(),
  };
}

interface Conflict extends FoundRequest {
  readonly method: string;
  readonly path: string;
}

/** Finds requests that are answered with 409 again and again. */
export class ConflictDetector implements Detector {
  readonly #conflicts = new Episodes<Conflict>({ least: 3, pause: 60_000 });

  seeReconcile({ controller, request, requests, from }: Reconcile, asked: AskedRequests): void {
    for (const one of requests) {
      const { method, code, path: whole } = one;
      if (code !== "409" || asked.has(one)) continue;
      const [path = ""] = whole.split("?");
      const key = [controller, request, method, path].join("\n");
      this.#conflicts.hit(key, from, () => ({ controller, request, method, path }));
    }
  }

  found(): Finding[] {
    return this.#conflicts.counted.map(
      ({ count, from, at, detail: { controller, request, method, path } }) => {
        const target = requestTarget(path);
        const place = target && placeOf(target);
        const what = place ?? target?.resource ?? path;
        return {
          kind: "conflicts",
          title: `${controller} meets conflicts on ${what}`,
          text: `${method} ${path} was answered with 409 ${times(count)} in reconciles of ${request}: ${adviceFor(method)}`,
          from,
          at,
          places: place === undefined ? [] : [place],
          requests: [{ controller, request }],
        };
      },
    );
  }
}

function adviceFor(method: string): string {
  switch (method) {
    case "POST":
      return "an object of this name is there already, so apply it instead of creating it";
    case "PUT":
      return "somebody else changes the object meanwhile, so patch or apply only the fields that you own";
    default:
      return "another field manager owns a field of it, or the object has changed since it was read";
  }
}
