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

/** Webhooks that deny what an operator writes, again and again. */
export class DeniedWriteDetector implements Detector {
  readonly #denials = new Episodes<Denial>({ least: 3, pause: 60_000 });

  seeCall({ call }: SeenCall): void {
    if (call.call === "conversion" || call.dryRun || !isOperator(call.by)) return;
    const place = placeName(call);
    const key = `${call.webhook}\n${call.operation} ${place}`;
    const { message, reason, code = 0 } = call.answer?.status ?? {};
    // An error in the webhook is told otherwise.
    if (verdictOf(call) !== "denied" || code >= 500) return;
    const denial = this.#denials.hit(key, call.from, () => ({ first: call, place, message: "" }));
    denial.message = message || reason || "no explanation";
  }

  /** Whether the error of a reconcile is such a denial. */
  explains(error: string): boolean {
    return this.#denials.told.some(({ detail: { first } }) =>
      error.includes(`admission webhook ${JSON.stringify(first.webhook)} denied the request`),
    );
  }

  found(): Finding[] {
    return this.#denials.told.map(({ count, from, at, detail: { first, place, message } }) => {
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
  /** What the webhook changed again. */
  change: Change;
}

/** What a webhook was sent, and what it changed. */
interface Asked {
  readonly user: string | undefined;
  readonly object: KubernetesObject;
  readonly changes: ReadonlyMap<string, Change>;
}

/** Webhooks that change what they have set themselves, although they are sent nothing else that is new: their patches are not idempotent. */
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
    return byWebhook(this.#restless.told).map((episodes): Finding => {
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

/** Whether an object has nothing new but what the webhook has set, on which a default may depend. */
function hasSameInput({ object, changes }: Asked, next: KubernetesObject): boolean {
  return unstoredChangesOf(object, next).every(
    ({ path, after }) =>
      noInput.test(path) || (changes.has(path) && isEqual(changes.get(path)?.after, after)),
  );
}

/** What the API server and finalizing controllers write. */
const noInput =
  /^(?:status\b|metadata\.(?:uid|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|finalizers|ownerReferences|selfLink)\b)/u;

interface Undone {
  readonly first: RecordedAdmission;
  readonly place: string;
  /** What the operator changed. */
  change: Change;
}

/** Webhooks whose patches set back what an operator changes. That they add to what it leaves out is what they are for. */
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
    return byWebhook(this.#undone.told).map((episodes): Finding => {
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

/** Puts together what happened with the same webhook: it is told once, with all objects and fields. */
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

/** Whether another value has all that a value has, and maybe more. */
function isWithin(value: unknown, whole: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value))
    return Array.isArray(whole) && value.every((item) => whole.some((one) => isWithin(item, one)));
  if (!isObject(value)) return isEqual(value, whole) || isSameQuantity(value, whole);
  return isObject(whole) && Object.entries(value).every(([name, member]) => isWithin(member, whole[name]));
}

/** What is only written in another form is not undone: `1000m` and `1`. */
function isSameQuantity(a: unknown, b: unknown): boolean {
  return isQuantity(a) && isQuantity(b) && compareQuantities(a, b) === 0;
}
