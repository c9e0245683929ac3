import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { placeName } from "../../../dev/record/places.ts";
import type { RecordedAdmission } from "../../../dev/record/recorded-call.ts";
import { webhookName } from "../verdict.ts";
import { byWebhook } from "./by-webhook.ts";
import { type Change, isSame, unstoredChangesOf } from "./changes.ts";
import { Episodes } from "./episodes.ts";
import type { Detector, Finding, SeenCall } from "./finding.ts";
import { listed, shortValue, times } from "./words.ts";

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
      if (earlier === undefined || !isSame(earlier.after, change.before)) continue;
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
    ({ path, after }) => noInput.test(path) || (changes.has(path) && isSame(changes.get(path)?.after, after)),
  );
}

/** What the API server and finalizing controllers write. */
const noInput =
  /^(?:status\b|metadata\.(?:uid|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|finalizers|ownerReferences|selfLink)\b)/u;
