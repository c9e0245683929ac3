import { writerName } from "../../../dev/record/writer-name.ts";
import { isObject } from "@tsbuilder/apimachinery/json";
import { compareQuantities, isQuantity } from "@tsbuilder/apimachinery/quantity";
import { placeName } from "../../../dev/record/places.ts";
import type { RecordedAdmission } from "../../../dev/record/recorded-call.ts";
import { isOperator } from "../is-operator.ts";
import { type Change, isSame, unstoredChangesOf } from "./changes.ts";
import { type Episode, Episodes } from "./episodes.ts";
import { webhookName } from "../verdict.ts";
import { byWebhook } from "./by-webhook.ts";
import type { Detector, Finding, SeenCall } from "./finding.ts";
import { listed, shortValue, times } from "./words.ts";

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

/** Whether another value has all that a value has, and maybe more. */
function isWithin(value: unknown, whole: unknown): boolean {
  if (value === undefined) return true;
  if (Array.isArray(value))
    return Array.isArray(whole) && value.every((item) => whole.some((one) => isWithin(item, one)));
  if (!isObject(value)) return isSame(value, whole) || isSameQuantity(value, whole);
  return isObject(whole) && Object.entries(value).every(([name, member]) => isWithin(member, whole[name]));
}

/** What is only written in another form is not undone: `1000m` and `1`. */
function isSameQuantity(a: unknown, b: unknown): boolean {
  return isQuantity(a) && isQuantity(b) && compareQuantities(a, b) === 0;
}
