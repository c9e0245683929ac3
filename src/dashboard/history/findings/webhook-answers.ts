import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { compareQuantities, isQuantity } from "@tsbuilder/apimachinery/quantity";
import { isOperator, writerName } from "../../../dev/record/writer.ts";
import { type RecordedAdmission, placeName } from "../../../dev/record/recorded.ts";
import { verdictOf, webhookName } from "../webhook-call.ts";
import {
  type Change,
  type Detector,
  type Episode,
  Episodes,
  type Finding,
  type SeenCall,
  listed,
  shortValue,
  shortened,
  span,
  times,
  unstoredChangesOf,
} from "./finding.ts";

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

  found(): Finding[] {
    return this.#denials.counted.map(({ count, from, at, detail: { first, place, message } }) => {
      const { operation, by, uid } = first;
      const who = writerName(by);
      return {
        kind: "denied writes",
        title: `${webhookName(first)} denies what ${who} writes`,
        text: `The ${webhookName(first)} denied ${times(count)} in ${span(at - from)} that ${who} ${verbs[operation]} ${place}, with “${shortened(message, 200)}”: let the operator write only what the webhook allows`,
        from,
        at,
        places: [place],
        requests: [],
        call: uid,
      };
    });
  }
}

const verbs: Readonly<Record<RecordedAdmission["operation"], string>> = {
  CREATE: "creates",
  UPDATE: "updates",
  DELETE: "deletes",
  CONNECT: "connects to",
};

interface Restless {
  readonly first: RecordedAdmission;
  readonly place: string;
  /** The last change by the webhook. */
  change: Change;
}

/** A call: the object that the webhook received, and its changes. */
interface Asked {
  readonly user: string | undefined;
  readonly object: KubernetesObject;
  readonly changes: ReadonlyMap<string, Change>;
}

/**
 * Finds webhooks whose patches are not idempotent: they change fields that they have set themselves, although nothing else in
 * the object is new.
 */
export class RestlessWebhookDetector implements Detector {
  readonly #restless = new Episodes<Restless>({ least: 2 });
  readonly #asked = new Map<string, Asked>();

  seeCall({ call, patched }: SeenCall): void {
    if (call.call !== "mutating" || call.subresource !== "") return;
    const place = placeName(call);
    const id = `${call.webhook}\n${place}`;
    const before = this.#asked.get(id);
    const after = call.operation === "DELETE" ? undefined : patched();
    if (after === undefined || call.object === undefined) return void this.#asked.delete(id);
    const changes = unstoredChangesOf(call.object, after);
    const user = call.by?.user;
    const asked = { user, object: call.object, changes: new Map(changes.map((one) => [one.path, one])) };
    this.#asked.set(id, asked);
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

  found(): Finding[] {
    return byWebhook(this.#restless.counted).map((episodes): Finding => {
      const { first, change } = episodes[0]!.detail;
      const paths = [...new Set(episodes.map(({ detail }) => detail.change.path))];
      const places = [...new Set(episodes.map(({ detail }) => detail.place))];
      const count = Math.max(...episodes.map((episode) => episode.count));
      const values =
        paths.length === 1
          ? `, the last time from ${shortValue(change.before)} to ${shortValue(change.after)}`
          : "";
      return {
        kind: "restless webhook",
        title: `${webhookName(first)} changes what it has set itself`,
        text: `The ${webhookName(first)} changed ${listed(paths)} of ${listed(places)} again ${times(count)}, although nothing else was new in what it was sent${values}: let it change nothing that it has set, since it is asked about each write`,
        from: Math.min(...episodes.map(({ from }) => from)),
        at: Math.max(...episodes.map(({ at }) => at)),
        places,
        requests: [],
        call: first.uid,
      };
    });
  }
}

/** Returns true if an object differs from the one before only in fields that the webhook set, and in none that it may read. */
function hasSameInput({ object, changes }: Asked, next: KubernetesObject): boolean {
  return unstoredChangesOf(object, next).every(
    ({ path, after }) =>
      noInput.test(path) || (changes.has(path) && isEqual(changes.get(path)?.after, after)),
  );
}

/** Fields that the API server and controllers of finalizers write: no default depends on them. */
const noInput =
  /^(?:status\b|metadata\.(?:uid|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|finalizers|ownerReferences|selfLink)\b)/u;

interface Undone {
  readonly first: RecordedAdmission;
  readonly place: string;
  /** The last change by the operator. */
  change: Change;
}

/** Finds webhooks whose patches undo changes of an operator. Setting fields that the operator omits is their purpose. */
export class UndoneWriteDetector implements Detector {
  readonly #undone = new Episodes<Undone>({ least: 3 });

  seeCall({ call, patched }: SeenCall): void {
    if (call.call !== "mutating" || call.dryRun || !isOperator(call.by)) return;
    const { object, oldObject } = call;
    const after = object && oldObject && patched();
    if (after === undefined || object === undefined || oldObject === undefined) return;
    const left = new Set(unstoredChangesOf(oldObject, after).map(({ path }) => path));
    const place = placeName(call);
    for (const change of unstoredChangesOf(oldObject, object)) {
      if (left.has(change.path) || isWithin(change.after, change.before)) continue;
      const key = [call.webhook, place, change.path].join("\n");
      this.#undone.hit(key, call.from, () => ({ first: call, place, change })).change = change;
    }
  }

  found(): Finding[] {
    return byWebhook(this.#undone.counted).map((episodes): Finding => {
      const { first, change } = episodes[0]!.detail;
      const who = writerName(first.by);
      const paths = [...new Set(episodes.map(({ detail }) => detail.change.path))];
      const places = [...new Set(episodes.map(({ detail }) => detail.place))];
      const count = Math.max(...episodes.map((episode: Readonly<Episode<Undone>>) => episode.count));
      const values =
        paths.length === 1
          ? `, the last time to ${shortValue(change.before)} instead of ${shortValue(change.after)}`
          : "";
      return {
        kind: "undone writes",
        title: `${webhookName(first)} undoes what ${who} writes`,
        text: `The ${webhookName(first)} set ${listed(paths)} of ${listed(places)} back ${times(count)} after ${who} had changed it${values}: let only one of them decide about it`,
        from: Math.min(...episodes.map(({ from }) => from)),
        at: Math.max(...episodes.map(({ at }) => at)),
        places,
        requests: [],
        call: first.uid,
      };
    });
  }
}

/** Groups episodes by webhook: a finding names all its objects and fields. */
function byWebhook<Detail extends { readonly first: RecordedAdmission }>(
  episodes: readonly Readonly<Episode<Detail>>[],
): (readonly Readonly<Episode<Detail>>[])[] {
  const groups = new Map<string, Readonly<Episode<Detail>>[]>();
  for (const episode of episodes) {
    const { webhook } = episode.detail.first;
    groups.set(webhook, [...(groups.get(webhook) ?? []), episode]);
  }
  return [...groups.values()];
}

/** Returns true if another value contains a value, and maybe more. */
function isWithin(value: unknown, whole: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value))
    return Array.isArray(whole) && value.every((item) => whole.some((one) => isWithin(item, one)));
  if (!isObject(value)) return isEqual(value, whole) || isSameQuantity(value, whole);
  return isObject(whole) && Object.entries(value).every(([name, member]) => isWithin(member, whole[name]));
}

/** Returns true for equal quantities: `1000m` and `1` are the same value in another form. */
function isSameQuantity(a: unknown, b: unknown): boolean {
  return isQuantity(a) && isQuantity(b) && compareQuantities(a, b) === 0;
}
