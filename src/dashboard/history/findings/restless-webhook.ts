import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
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

/** How a webhook left an object. */
interface Left {
  readonly user: string | undefined;
  readonly object: KubernetesObject;
  readonly changes: ReadonlyMap<string, Change>;
}

/** Webhooks that change what they have set themselves, although nothing else has changed: their patches are not idempotent. */
export class RestlessWebhookDetector implements Detector {
  readonly #restless = new Episodes<Restless>({ least: 2 });
  readonly #left = new Map<string, Left>();

  seeCall({ call, patched }: SeenCall): void {
    if (call.call !== "mutating" || call.subresource !== "") return;
    const place = `${call.resource} ${call.key}`;
    const id = `${call.webhook}\n${place}`;
    const before = this.#left.get(id);
    const after = call.operation === "DELETE" ? undefined : patched();
    if (after === undefined || call.object === undefined) return void this.#left.delete(id);
    const changes = unstoredChangesOf(call.object, after);
    const user = call.by?.user;
    this.#left.set(id, { user, object: after, changes: new Map(changes.map((one) => [one.path, one])) });
    if (before === undefined || before.user !== user || !isSameInput(before.object, call.object)) return;
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
        text: `The ${webhookName(first)} changed ${listed(paths)} of ${listed(places)} again ${times(count)}, although the object was as it had left it${values}: let it change nothing that it has set, since it is asked about each write`,
        from: Math.min(...episodes.map(({ from }) => from)),
        at: Math.max(...episodes.map(({ at }) => at)),
        places,
        requests: [],
        call: first.uid,
      };
    });
  }
}

/** Whether an object has nothing new that a default may depend on. */
function isSameInput(before: KubernetesObject, after: KubernetesObject): boolean {
  return unstoredChangesOf(before, after).every(({ path }) => noInput.test(path));
}

/** What the API server and finalizing controllers write. */
const noInput =
  /^(?:status\b|metadata\.(?:uid|creationTimestamp|deletionTimestamp|deletionGracePeriodSeconds|finalizers|ownerReferences|selfLink)\b)/u;
