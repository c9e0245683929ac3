import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { compareQuantities, isQuantity } from "@tsbuilder/apimachinery/quantity";
import type { RecordedAdmission } from "../recorded.ts";
import { isOperator, keysOfCall, placeName, placesOfCall, writerName } from "../recorded.ts";
import type { Call, Reconcile, Sample } from "../timed.ts";
import { verdictOf, webhookName } from "../webhook-call.ts";
import type { Change, Detector, Episode, Found, FoundRequest, SeenCall } from "./finding.ts";
import {
  Episodes,
  groupBy,
  listed,
  shortValue,
  shortened,
  span,
  times,
  together,
  unstoredChangesOf,
} from "./finding.ts";
import { isCallOfReconcile } from "../webhook-call.ts";
import { slowCall } from "./reconciles.ts";

interface Failure {
  /** `Error`: the webhook answered with an internal error. */
  readonly reason: NonNullable<Call["failure"]>["reason"] | "Error";
  readonly message: string;
}

interface Failing {
  readonly first: Call;
  readonly reason: Failure["reason"];
  readonly places: CalledPlaces;
  readonly resources: Set<string>;
  message: string;
  ignored: number;
  /** True once the webhook answered again, or the operator was started again. */
  isHealed: boolean;
}

/** The time in milliseconds for which an operator that is started again may be unreachable. */
const restartTime = 10_000;

/** Finds webhooks that cannot be reached, or whose answers are invalid or errors. */
export class FailingWebhookDetector implements Detector {
  readonly #failing = new Episodes<Failing>({ least: 1 });
  readonly #names = new Set<string>();
  #since: number | undefined;

  seeCall({ call }: SeenCall): void {
    const name = webhookName(call);
    const failure = failureOf(call);
    if (failure === undefined) {
      for (const reason of ["Unreachable", "BadCertificate"] as const) this.#heal(name, reason);
      return;
    }
    this.#names.add(name);
    const { reason, message } = failure;
    const failing = this.#failing.hit(`${name}\n${reason}`, call.to, () => ({
      first: call,
      reason,
      places: new CalledPlaces(),
      resources: new Set(),
      message,
      ignored: 0,
      isHealed: false,
    }));
    failing.message = message;
    failing.places.add(call);
    failing.resources.add(call.resource);
    if (call.call !== "conversion" && call.ignored) failing.ignored++;
  }

  /** Ends episodes of unreachable webhooks when a new process starts: only the next call tells whether that is reachable. */
  seeSample({ since }: Sample): void {
    if (since > (this.#since ?? since)) for (const name of this.#names) this.#heal(name, "Unreachable");
    this.#since = Math.max(since, this.#since ?? since);
  }

  /** Ends an episode by a success. Other reasons may concern some objects only, so that a success says nothing about them. */
  #heal(name: string, reason: "Unreachable" | "BadCertificate"): void {
    const failing = this.#failing.detailOf(`${name}\n${reason}`);
    if (failing === undefined) return;
    failing.isHealed = true;
    this.#failing.end(`${name}\n${reason}`);
  }

  /** Returns true if a finding of a webhook explains the error of a reconcile. */
  explains(error: string): boolean {
    return this.#found().some(({ detail: { first, reason } }) => {
      if (first.call === "conversion")
        return error.includes("conversion webhook for") && error.includes("failed");
      const webhook = JSON.stringify(first.webhook);
      return error.includes(
        reason === "Error"
          ? `admission webhook ${webhook} denied the request`
          : `failed calling webhook ${webhook}`,
      );
    });
  }

  found(): Found[] {
    return this.#found().map(({ count, from, at, detail }) => {
      const { first, reason, message, ignored, places, resources } = detail;
      const { title, advice } = failureWords[reason];
      const name = webhookName(first);
      const firstRequest = `${first.call === "conversion" ? "that" : first.operation} of ${first.resource} ${keysOfCall(first)[0] ?? ""} by ${writerName(first.by)}`;
      const others = [...resources].filter((resource) => resource !== first.resource);
      const otherResources = others.length === 0 ? "" : `, also for ${listed(others)}`;
      return {
        kind: "failing webhook",
        title: `${name} ${title}`,
        text: `Calls of the ${name} failed ${times(count)}, ${count === 1 ? "" : "first "}for ${firstRequest}${otherResources}, with “${shortened(message, 200)}”; ${describeConsequence(first, reason, count, ignored)}: ${advice}`,
        from,
        at,
        places: places.all,
        call: first.uid,
      };
    });
  }

  #found(): readonly Readonly<Episode<Failing>>[] {
    return this.#failing.counted.filter(
      ({ from, at, detail: { isHealed } }) => !isHealed || at - from >= restartTime,
    );
  }
}

/** Returns why a call failed; undefined if it was answered, even if by a denial. */
function failureOf(call: Call): Failure | undefined {
  if (call.failure || call.call === "conversion") return call.failure;
  const { allowed, status } = call.answer ?? {};
  if (allowed !== false || (status?.code ?? 0) < 500) return undefined;
  return { reason: "Error", message: status?.message ?? "" };
}

/** Describes what failed calls meant for the requests that they were about. */
function describeConsequence(call: Call, reason: Failure["reason"], count: number, ignored: number): string {
  if (call.call === "conversion") return "what needed the objects in that version failed, too";
  if (ignored === 0)
    return `${describeRequests(count)} refused${call.failurePolicy === "Fail" && reason !== "Error" ? ", as failurePolicy Fail says" : ""}`;
  if (ignored === count)
    return `${describeRequests(count)} let pass without it, as failurePolicy Ignore says`;
  return `${ignored} of the ${count} requests ${ignored === 1 ? "was" : "were"} let pass without it, as failurePolicy Ignore says`;
}

function describeRequests(count: number): string {
  return count === 1 ? "the request was" : "the requests were";
}

const failureWords: Readonly<Record<Failure["reason"], Readonly<{ title: string; advice: string }>>> = {
  Unreachable: {
    title: "can't be reached",
    advice: "see whether the operator runs, and serves it where its configuration says",
  },
  Timeout: {
    title: "doesn't answer in time",
    advice: "leave to the reconciler what takes time, or raise timeoutSeconds",
  },
  BadCertificate: {
    title: "has a certificate that is not trusted",
    advice:
      "see whether the caBundle of its configuration is of the CA that signed it, and whether it names the Service",
  },
  InvalidAnswer: {
    title: "doesn't answer as it should",
    advice: "see its answer, and what the operator logged",
  },
  Error: {
    title: "answers with an error",
    advice: "see what the operator logged meanwhile",
  },
  Refused: {
    title: "can't convert an object",
    advice: "let it convert each object that can be stored, of each version to each other one",
  },
};

interface Slow {
  readonly first: Call;
  readonly operations: Set<string>;
  readonly places: CalledPlaces;
  readonly requests: Map<string, FoundRequest>;
  most: number;
}

/** The number of slow calls that are compared with reconciles that end later. */
const mostRecentCalls = 20;

/** Finds webhooks that answer late. A webhook that does not answer in time fails instead. */
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
    this.#recent = [...this.#recent.slice(1 - mostRecentCalls), { call, slow }];
  }

  /** Collects the requests whose reconciles waited for a slow call. */
  seeReconcile(reconcile: Reconcile): void {
    const { controller, request } = reconcile;
    for (const { call, slow } of this.#recent)
      if (isCallOfReconcile(call, reconcile))
        slow.requests.set(`${controller}\n${request}`, { controller, request });
  }

  found(): Found[] {
    return this.#slow.found(({ count, detail }) => {
      const { first, operations, places, requests, most } = detail;
      const name = webhookName(first);
      const calls = count === 1 ? "A call" : `${count} calls`;
      const took = count === 1 ? span(most) : `more than ${span(slowCall)}, up to ${span(most)}`;
      return {
        kind: "slow webhook",
        title: `${name} is slow`,
        text: `${calls} of the ${name} for ${listed([...operations])} of ${first.resource} took ${took}: who writes these waits for it, so leave to the reconciler what takes time`,
        places: places.all,
        requests: [...requests.values()],
        call: first.uid,
      };
    });
  }
}

/** The number of objects that a finding names. */
const mostPlaces = 3;

/** Collects the places of the first objects that calls were about. */
class CalledPlaces {
  readonly #places = new Set<string>();

  add(call: Call): void {
    for (const place of placesOfCall(call)) if (this.#places.size < mostPlaces) this.#places.add(place);
  }

  get all(): readonly string[] {
    return [...this.#places];
  }
}

interface Denial {
  readonly first: RecordedAdmission;
  readonly place: string;
  message: string;
}

/** Finds webhooks that deny the writes of an operator again and again. */
export class DeniedWriteDetector implements Detector {
  readonly #denials = new Episodes<Denial>({ least: 3, pause: 60_000 });

  seeCall({ call }: SeenCall): void {
    if (call.call === "conversion" || call.dryRun || !isOperator(call.by)) return;
    const place = placeName(call);
    const key = `${call.webhook}\n${call.operation} ${place}`;
    const { message, reason, code = 0 } = call.answer?.status ?? {};
    // Errors of the webhook itself are the business of FailingWebhookDetector.
    if (verdictOf(call) !== "denied" || code >= 500) return;
    const denial = this.#denials.hit(key, call.from, () => ({ first: call, place, message: "" }));
    denial.message = message || reason || "no explanation";
  }

  /** Returns true if a finding explains the error of a reconcile. */
  explains(error: string): boolean {
    return this.#denials.counted.some(({ detail: { first } }) =>
      error.includes(`admission webhook ${JSON.stringify(first.webhook)} denied the request`),
    );
  }

  found(): Found[] {
    return this.#denials.found(({ count, from, at, detail: { first, place, message } }) => {
      const { operation, by, uid } = first;
      const who = writerName(by);
      return {
        kind: "denied writes",
        title: `${webhookName(first)} denies what ${who} writes`,
        text: `The ${webhookName(first)} denied ${times(count)} in ${span(at - from)} that ${who} ${operationVerbs[operation]} ${place}, with “${shortened(message, 200)}”: let the operator write only what the webhook allows`,
        places: [place],
        call: uid,
      };
    });
  }
}

const operationVerbs: Readonly<Record<RecordedAdmission["operation"], string>> = {
  CREATE: "creates",
  UPDATE: "updates",
  DELETE: "deletes",
  CONNECT: "connects to",
};

/** The object that a webhook last received for a user, and the changes that it made. */
interface SeenInput {
  readonly user: string | undefined;
  readonly object: KubernetesObject;
  readonly changes: ReadonlyMap<string, Change>;
}

/** Finds webhooks whose patches are not idempotent: they change again what they have set, although nothing else is new. */
export class RestlessWebhookDetector implements Detector {
  readonly #restless = new Episodes<RepeatedChange>({ least: 2 });
  readonly #lastInputs = new Map<string, SeenInput>();

  seeCall({ call, patched }: SeenCall): void {
    if (call.call !== "mutating" || call.subresource !== "") return;
    const place = placeName(call);
    const id = `${call.webhook}\n${place}`;
    const before = this.#lastInputs.get(id);
    const after = call.operation === "DELETE" ? undefined : patched();
    if (after === undefined || call.object === undefined) return void this.#lastInputs.delete(id);
    const changes = unstoredChangesOf(call.object, after);
    const user = call.by?.user;
    const seen = { user, object: call.object, changes: new Map(changes.map((each) => [each.path, each])) };
    this.#lastInputs.set(id, seen);
    if (before === undefined || before.user !== user || !hasSameInput(before, call.object)) return;
    for (const change of changes) {
      const earlier = before.changes.get(change.path);
      if (earlier === undefined || !isEqual(earlier.after, change.before)) continue;
      const restless = this.#restless.hit(`${id}\n${change.path}`, call.from, () => ({
        first: call,
        place,
        change,
      }));
      restless.change = change;
    }
  }

  found(): Found[] {
    return groupByWebhook(this.#restless.counted).map(({ first, change, paths, places, count, from, at }) => {
      const values =
        paths.length === 1
          ? `, the last time from ${shortValue(change.before)} to ${shortValue(change.after)}`
          : "";
      return {
        kind: "restless webhook",
        title: `${webhookName(first)} changes what it has set itself`,
        text: `The ${webhookName(first)} changed ${listed(paths)} of ${listed(places)} again ${times(count)}, although nothing else was new in what it was sent${values}: let it change nothing that it has set, since it is asked about each write`,
        from,
        at,
        places,
        call: first.uid,
      };
    });
  }
}

/** Fields that the API server and controllers of finalizers write: no default depends on them. */
const notReadByWebhooks =
  /^(?:status\b|metadata\.(?:uid|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|finalizers|ownerReferences|selfLink)\b)/u;

/** Returns true if an object differs from the one before only in fields that the webhook set, and in none that it may read. */
function hasSameInput({ object, changes }: SeenInput, next: KubernetesObject): boolean {
  return unstoredChangesOf(object, next).every(
    ({ path, after }) =>
      notReadByWebhooks.test(path) || (changes.has(path) && isEqual(changes.get(path)?.after, after)),
  );
}

/** Finds webhooks whose patches undo changes of an operator. Setting fields that the operator omits is their purpose. */
export class UndoneWriteDetector implements Detector {
  readonly #undone = new Episodes<RepeatedChange>({ least: 3 });

  seeCall({ call, patched }: SeenCall): void {
    if (call.call !== "mutating" || call.dryRun || !isOperator(call.by)) return;
    const { object, oldObject } = call;
    const after = object && oldObject && patched();
    if (after === undefined || object === undefined || oldObject === undefined) return;
    const keptChanges = new Set(unstoredChangesOf(oldObject, after).map(({ path }) => path));
    const place = placeName(call);
    for (const change of unstoredChangesOf(oldObject, object)) {
      if (keptChanges.has(change.path) || isPartOf(change.after, change.before)) continue;
      const key = [call.webhook, place, change.path].join("\n");
      this.#undone.hit(key, call.from, () => ({ first: call, place, change })).change = change;
    }
  }

  found(): Found[] {
    return groupByWebhook(this.#undone.counted).map(({ first, change, paths, places, count, from, at }) => {
      const who = writerName(first.by);
      const values =
        paths.length === 1
          ? `, the last time to ${shortValue(change.before)} instead of ${shortValue(change.after)}`
          : "";
      return {
        kind: "undone writes",
        title: `${webhookName(first)} undoes what ${who} writes`,
        text: `The ${webhookName(first)} set ${listed(paths)} of ${listed(places)} back ${times(count)} after ${who} had changed it${values}: let only one of them decide about it`,
        from,
        at,
        places,
        call: first.uid,
      };
    });
  }
}

/** A field of an object that a webhook changes again and again. */
interface RepeatedChange {
  readonly first: RecordedAdmission;
  readonly place: string;
  change: Change;
}

/** Collects the episodes of each webhook: a finding names all its objects and fields. */
function groupByWebhook(episodes: readonly Readonly<Episode<RepeatedChange>>[]) {
  const groups = groupBy(episodes, ({ detail }) => detail.first.webhook);
  return [...groups.values()].map((group) => ({
    ...group[0]!.detail,
    ...together(group),
    paths: [...new Set(group.map(({ detail }) => detail.change.path))],
    places: [...new Set(group.map(({ detail }) => detail.place))],
  }));
}

/** Returns true if `whole` contains all members and items of a value, and maybe more. */
function isPartOf(value: unknown, whole: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value))
    return Array.isArray(whole) && value.every((item) => whole.some((one) => isPartOf(item, one)));
  if (!isObject(value)) return isEqual(value, whole) || isSameQuantity(value, whole);
  return isObject(whole) && Object.entries(value).every(([name, member]) => isPartOf(member, whole[name]));
}

/** Returns true for equal quantities: `1000m` and `1` are the same value in another form. */
function isSameQuantity(a: unknown, b: unknown): boolean {
  return isQuantity(a) && isQuantity(b) && compareQuantities(a, b) === 0;
}
