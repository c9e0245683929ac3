import { isOperator, objectOfCause, requeueOfCause } from "../recorded.ts";
import type { Call, Reconcile } from "../timed.ts";
import type { RequestTarget } from "../request-target.ts";
import { hasSucceeded, isWrite, placeOf, requestTarget, verbOf } from "../request-target.ts";
import type { Detector, Found, FoundRequest, PlannedRequests, SeenCall, SeenWrite } from "./finding.ts";
import { Episodes, listed, shortened, span, times } from "./finding.ts";
import { isCallOfRequest, isCallOfReconcile } from "../webhook-call.ts";
import { webhookName } from "../webhook-call.ts";

/** The number of runs in a row, and the milliseconds within which each must follow the run before. */
const [leastRuns, mostPause] = [10, 500];

interface SeenObject {
  kind: string;
  key: string;
  /** The time of the last write by somebody else than an operator. */
  foreignAt: number;
  ownWrite: SeenWrite | undefined;
}

interface Loop extends FoundRequest {
  /** The names of objects whose writes caused the next run, by their places. */
  readonly causes: Map<string, string>;
  /** True if a run asked for the next one by its result. */
  requeues: boolean;
}

/** The number of deleted objects that are remembered: a reconcile because of a deletion ends after it. */
const mostDeleted = 1000;

/** The number of requests whose last run is remembered: who reconciles more in half a second is no loop of one object. */
const mostRuns = 1000;

/** Finds reconciles that cause their own next run. */
export class HotLoopDetector implements Detector {
  readonly #objects = new Map<string, SeenObject>();
  /** The places of deleted objects, the first deleted first. */
  readonly #deleted = new Set<string>();
  readonly #runs = new Map<string, Reconcile>();
  readonly #loops = new Episodes<Loop>({ least: leastRuns });

  seeWrite(write: SeenWrite): void {
    const { place, key, at } = write;
    let seen = this.#objects.get(place);
    if (seen === undefined) {
      seen = { kind: write.object().kind, key, foreignAt: -Infinity, ownWrite: undefined };
      this.#objects.set(place, seen);
    }
    this.#deleted.delete(place);
    if (write.write === "DELETED") this.#forget(place, seen);
    else if (isOperator(write.by)) seen.ownWrite = write;
    if (!isOperator(write.by)) seen.foreignAt = at;
  }

  #forget(place: string, seen: SeenObject): void {
    seen.ownWrite = undefined;
    this.#deleted.add(place);
    if (this.#deleted.size <= mostDeleted) return;
    const [first] = this.#deleted as Iterable<string> as [string];
    this.#deleted.delete(first);
    this.#objects.delete(first);
  }

  seeReconcile(reconcile: Reconcile): void {
    const { controller, request, from } = reconcile;
    const key = `${controller}\n${request}`;
    const before = this.#runs.get(key);
    this.#runs.delete(key);
    this.#runs.set(key, reconcile);
    const [longestAgo] = this.#runs.keys() as Iterable<string> as [string];
    if (this.#runs.size > mostRuns) this.#runs.delete(longestAgo);
    const isSoon = before !== undefined && from - before.from <= mostPause;
    const causes = isSoon ? this.#findOwnCauses(reconcile, before) : undefined;
    if (causes === undefined) return this.#loops.end(key);
    const begin = (): Loop => ({ controller, request, causes: new Map(), requeues: false });
    const loop = this.#loops.hit(key, from, begin);
    for (const [place, name] of causes) loop.causes.set(place, name);
    if (causes.size === 0) loop.requeues = true;
  }

  /** Returns the objects that the reconcile before wrote and that caused this one; undefined if there is another cause. */
  #findOwnCauses({ causes }: Reconcile, before: Reconcile): Map<string, string> | undefined {
    if (causes.length === 0) return undefined;
    const found = new Map<string, string>();
    const written = writtenPlaces(before);
    for (const cause of causes) {
      const delay = requeueOfCause(cause);
      if (delay !== undefined && delay <= mostPause) continue;
      const { kind, key } = objectOfCause(cause) ?? { kind: "", key: "" };
      const place = written.find((place) => this.#isOwn(place, kind, key, before.from));
      if (place === undefined) return undefined;
      found.set(place, `${kind} ${key}`);
    }
    return found;
  }

  /** Returns true if only operators wrote an object. Records of another cluster have no writes: there, a request is enough. */
  #isOwn(place: string, kind: string, key: string, since: number): boolean {
    if (!place.endsWith(` ${key}`)) return false;
    const seen = this.#objects.get(place);
    return seen === undefined || (seen.kind === kind && seen.foreignAt < since);
  }

  found(): Found[] {
    return this.#loops.found(({ count, from, at, detail }) => {
      const { controller, request, causes, requeues } = detail;
      const names = listed([...causes.values()]);
      const why =
        causes.size === 0
          ? "asked to run again"
          : `wrote ${names}${this.#fieldsOf(causes.keys())}, and ran because of that`;
      const advice =
        causes.size === 0
          ? "wait for a change, or for longer"
          : "write only what has to change, and nothing that differs each time, such as the time";
      return {
        kind: "hot loop",
        title: `${controller} makes itself reconcile ${request} again and again`,
        text: `${controller} reconciled ${request} again ${times(count)} in ${span(at - from)}, since it ${why}${requeues && causes.size > 0 ? " or asked to" : ""}: ${advice}`,
        places: [...causes.keys()],
        requests: [{ controller, request }],
      };
    });
  }

  #fieldsOf(places: Iterable<string>): string {
    const paths = [...places].flatMap((place) => this.#objects.get(place)?.ownWrite?.changes() ?? []);
    return paths.length === 0 ? "" : ` (${listed(paths.map(({ path }) => path))})`;
  }
}

/** Returns the places of the objects that a reconcile wrote successfully. */
function writtenPlaces({ requests }: Reconcile): string[] {
  const places: string[] = [];
  for (const { method, path, code } of requests) {
    if (!hasSucceeded(code) || !isWrite(method, path)) continue;
    const target = requestTarget(path);
    const place = target && placeOf(target);
    if (place !== undefined) places.push(place);
  }
  return places;
}

interface Retries extends FoundRequest {
  /** The error with all numbers replaced, as they differ each time. */
  readonly pattern: string;
  error: string;
}

/** Finds reconciles that fail again and again with the same error. */
export class RetryLoopDetector implements Detector {
  readonly #retries = new Episodes<Retries>({ least: 5 });
  readonly #isExplained: (error: string) => boolean;

  /** `isExplained` returns true for errors that another finding reports. */
  constructor(isExplained: (error: string) => boolean) {
    this.#isExplained = isExplained;
  }

  seeReconcile(reconcile: Reconcile, planned: PlannedRequests): void {
    const { controller, request, outcome, error = "", from } = reconcile;
    if (outcome === "unfinished" || planned.size > 0) return;
    const key = `${controller}\n${request}`;
    const pattern = error.replaceAll(/\d+/gu, "0");
    if (outcome !== "error" || (this.#retries.detailOf(key)?.pattern ?? pattern) !== pattern)
      this.#retries.end(key);
    if (outcome !== "error") return;
    const retries = this.#retries.hit(key, from, () => ({ controller, request, pattern, error }));
    retries.error = error;
  }

  found(): Found[] {
    return this.#retries.found(
      ({ count, from, at, detail: { controller, request, error } }) => ({
        kind: "retry loop",
        title: `${controller} keeps failing for ${request}`,
        text: `${controller} failed ${times(count)} in a row in ${span(at - from)} for ${request} with “${shortened(error, 200)}”: remove the cause, or throw a TerminalError if another try can't help`,
        requests: [{ controller, request }],
      }),
      ({ detail }) => !this.#isExplained(detail.error),
    );
  }
}

/** The duration of a slow request in seconds. */
const slowSeconds = 1;

interface Slow {
  readonly controller: string;
  readonly method: string;
  readonly resource: string;
  readonly mayCallWebhook: boolean;
  seconds: number;
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

  seeReconcile(reconcile: Reconcile, planned: PlannedRequests): void {
    const { controller, request, requests, from } = reconcile;
    for (const sent of requests) {
      const { method, path, seconds } = sent;
      const resource =
        seconds > slowSeconds && !planned.has(sent) ? requestTarget(path)?.resource : undefined;
      if (resource === undefined) continue;
      const { names, hasSlowCall, milliseconds } = this.#waited.during(reconcile, { method, path });
      if (hasSlowCall && seconds * 1000 - milliseconds <= slowSeconds * 1000) continue;
      const mayCallWebhook = isWrite(method, path);
      const slow = this.#slow.hit([controller, method, resource].join("\n"), from, () => ({
        controller,
        method,
        resource,
        mayCallWebhook,
        seconds,
        webhooks: new Set(),
        requests: new Map(),
      }));
      for (const name of names) slow.webhooks.add(name);
      slow.seconds = Math.max(slow.seconds, seconds);
      slow.requests.set(request, { controller, request });
    }
  }

  found(): Found[] {
    return this.#slow.found(({ count, detail }) => {
      const { controller, method, resource, mayCallWebhook, webhooks, seconds, requests } = detail;
      const most = span(seconds * 1000);
      const took =
        count === 1
          ? `A ${method} of ${resource} took ${most}`
          : `${count} requests to ${method} ${resource} took more than ${slowSeconds} s, up to ${most},`;
      const advice =
        webhooks.size > 0
          ? `a part of it waited for the ${listed([...webhooks])}`
          : mayCallWebhook
            ? "see whether a webhook for this resource is slow"
            : "see whether it reads more than it needs";
      return {
        kind: "slow request",
        title: `${method} of ${resource} is slow`,
        text: `${took} in reconciles of ${controller}: ${advice}`,
        requests: [...requests.values()],
      };
    });
  }
}

/** The duration in milliseconds from which on a webhook call is a finding of its own. */
export const slowCall = 1000;

/** Shorter calls, in milliseconds, make no request slow. */
const leastWait = 50;

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
    if (call.to - call.from < leastWait) return;
    const calls = this.#calls.get(call.resource) ?? [];
    this.#calls.set(call.resource, calls);
    calls.push(call);
    if (calls.length > mostCalls) calls.shift();
  }

  /** Returns the calls that a request of a reconcile caused. */
  during(reconcile: Reconcile, { method, path }: { readonly method: string; readonly path: string }): Waited {
    const calls = [...this.#calls.values()]
      .flat()
      .filter((call) => isCallOfRequest(call, method, path) && isCallOfReconcile(call, reconcile));
    return {
      names: [...new Set(calls.map(webhookName))],
      milliseconds: coveredTime(calls),
      hasSlowCall: calls.some((call) => call.to - call.from > slowCall),
    };
  }
}

/** Returns the time that calls cover together: validating webhooks are called in parallel. */
function coveredTime(calls: readonly Call[]): number {
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
const reasonsBesidesRbac =
  /admission webhook|ValidatingAdmissionPolicy|exceeded quota|because it is being terminated|violates PodSecurity/u;

/** Finds requests that RBAC forbids. */
export class MissingRightDetector implements Detector {
  readonly #refusals = new Episodes<Refusal>({ least: 1 });

  seeReconcile(reconcile: Reconcile, planned: PlannedRequests): void {
    const { controller, request, requests, from, error = "" } = reconcile;
    if (reasonsBesidesRbac.test(error)) return;
    for (const sent of requests) {
      const { method, path, code } = sent;
      const target = code === "403" && !planned.has(sent) ? requestTarget(path) : undefined;
      if (target === undefined) continue;
      const key = [controller, target.resource, target.subresource].join("\n");
      const refusal = this.#refusals.hit(key, from, () => refusalOf(controller, target));
      refusal.verbs.add(verbOf(method, path, target));
      refusal.requests.set(request, { controller, request });
    }
  }

  found(): Found[] {
    return this.#refusals.found(({ count, detail }) => {
      const { controller, group, resource, verbs, requests } = detail;
      const what = `${listed([...verbs])} ${resource}`;
      const groups = group === "" ? '""' : group;
      const marker = `// +kubebuilder:rbac:groups=${groups},resources=${resource},verbs=${[...verbs].join(";")}`;
      return {
        kind: "missing right",
        title: `${controller} is not allowed to ${what}`,
        text: `The API server refused ${controller} ${times(count)} to ${what}${group === "" ? "" : ` in ${group}`}: add the marker ${marker} to its controller`,
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

  seeReconcile({ controller, request, requests, from }: Reconcile, planned: PlannedRequests): void {
    for (const sent of requests) {
      const { method, code, path: pathAndQuery } = sent;
      if (code !== "409" || planned.has(sent)) continue;
      const [path = ""] = pathAndQuery.split("?");
      const key = [controller, request, method, path].join("\n");
      this.#conflicts.hit(key, from, () => ({ controller, request, method, path }));
    }
  }

  found(): Found[] {
    return this.#conflicts.found(({ count, detail: { controller, request, method, path } }) => {
      const target = requestTarget(path);
      const place = target && placeOf(target);
      const what = place ?? target?.resource ?? path;
      return {
        kind: "conflicts",
        title: `${controller} meets conflicts on ${what}`,
        text: `${method} ${path} was answered with 409 ${times(count)} in reconciles of ${request}: ${adviceFor(method)}`,
        places: place === undefined ? [] : [place],
        requests: [{ controller, request }],
      };
    });
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
