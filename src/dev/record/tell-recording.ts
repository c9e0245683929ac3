import { changedFields } from "@tsbuilder/apimachinery/meta";
import { count } from "../../shared/text.ts";
import { describeAction, describeFault } from "./describe-action.ts";
import type { Recorded, RecordedAdmission, RecordedCall, RecordedWrite } from "./recorded.ts";
import { keyName, keysOfCall, placeName, summarizeEvent, writerName } from "./recorded.ts";
import { mostRequests } from "./operator-messages.ts";

interface Told {
  readonly at: string;
  /** The keys of its objects and their owners, such as `default/db`; empty for output. */
  readonly about: readonly string[];
  readonly text: string;
}

/** The `about` of a line that is never filtered out. */
export const everything: readonly string[] = ["*"];

/** Tells a record as a story in the order of time: who changed which fields, which reconciles ran, and why. */
export function tellRecording(recorded: readonly Recorded[]): Told[] {
  const objects = new Map<string, unknown>();
  const owners = new Owners();
  const told = recorded.flatMap((one): Told[] => {
    switch (one.type) {
      case "write": {
        const place = placeName(one);
        const before = objects.get(place);
        objects.set(place, one.object);
        const about = owners.about(one);
        if (one.write === "KEPT") return [];
        return [{ at: one.at, about, text: textOfWrite(one, before) }];
      }
      case "reconcile":
        return [{ at: one.at, about: [one.request], text: textOfReconcile(one) }];
      case "webhook":
        return [{ at: one.at, about: keysOfCall(one), text: tellCall(one) }];
      case "operator":
      case "dev":
        return [{ at: one.at, about: [], text: `${one.type} | ${one.text}` }];
      case "action":
      case "fault": {
        const text = one.type === "action" ? describeAction(one) : describeFault(one);
        return [{ at: one.at, about: everything, text: `page | ${text}` }];
      }
      case "sample":
        return [];
      case "full":
        return [{ at: one.at, about: everything, text: "the record is full" }];
    }
  });
  return told.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function tellCall(call: RecordedCall): string {
  const took = `in ${Math.round(call.seconds * 1000)} ms`;
  if (call.call === "conversion") {
    const what = call.count === 1 ? keysOfCall(call)[0] : count(call.count, "object");
    const asked = `conversion webhook of ${call.configuration} converts ${what ?? "an object"} to ${call.apiVersion}`;
    return call.failure ? `${asked}: fails ${took}: ${call.failure.message}` : `${asked} ${took}`;
  }
  const { webhook, operation, resource, subresource, key, dryRun } = call;
  const what = `${resource}${subresource === "" ? "" : `/${subresource}`} ${key}`;
  return `${call.call} webhook ${webhook} is asked to ${operation} ${what}${dryRun ? " (dry run)" : ""}: ${verdictOf(call, took)}`;
}

function verdictOf({ answer, failure, ignored }: RecordedAdmission, took: string): string {
  if (failure)
    return `fails ${took}, which ${ignored ? "is ignored" : "refuses the request"}: ${failure.message}`;
  if (answer?.allowed !== true) {
    const { message, reason } = answer?.status ?? {};
    return `denies it ${took}${message || reason ? `: ${message || reason}` : ""}`;
  }
  const { patch = [], warnings = [] } = answer;
  const patched = patch.length > 0 ? `, with ${count(patch.length, "change")}` : "";
  const warned = warnings.length > 0 ? `, with ${count(warnings.length, "warning")}` : "";
  return `allows it ${took}${patched}${warned}`;
}

/** Finds the objects that a write is about: the written object, its owners, and for an Event, the object that it regards. */
class Owners {
  readonly #byUid = new Map<string, readonly string[]>();

  about(write: RecordedWrite): readonly string[] {
    const { key, object } = write;
    const { uid = "", namespace, ownerReferences = [] } = object.metadata;
    const regarding = summarizeEvent(write)?.regarding;
    const owners = regarding ? [...ownerReferences, regarding] : ownerReferences;
    const found = [key, ...owners.flatMap((owner) => this.#aboutOwner(owner, namespace))];
    this.#byUid.set(uid, found);
    return found;
  }

  /** Returns an owner and its owners. Of an owner without a write in this session, only the name is known. */
  #aboutOwner({ uid = "", name = "" }: Owner, namespace: string | undefined): readonly string[] {
    return this.#byUid.get(uid) ?? [keyName({ namespace, name })];
  }
}

interface Owner {
  readonly uid?: string;
  readonly name?: string;
}

const most = 5;

function textOfWrite(recorded: RecordedWrite, before: unknown): string {
  const { write, object, key, by } = recorded;
  const who = writerName(by);
  const event = summarizeEvent(recorded);
  if (event && write !== "DELETED") {
    const { regarding: { kind = "", name = "" } = {}, reason, text } = event;
    return `Event about ${kind} ${name}: ${reason}: ${text}, by ${who}`;
  }
  const what = `${object.kind} ${key}`;
  if (write === "ADDED") return `${what} is created by ${who}`;
  if (write === "DELETED") return `${what} is deleted by ${who}`;
  const fields = before === undefined ? [] : changedFields(before, object);
  const shown = fields.slice(0, most).join(", ");
  const more = fields.length > most ? ` and ${count(fields.length - most, "more field")}` : "";
  return `${what} changes${shown === "" ? "" : ` in ${shown}${more}`}, by ${who}`;
}

function textOfReconcile({
  controller,
  request,
  outcome,
  causes,
  requests,
  error,
  seconds,
  requeueAfter,
}: Extract<Recorded, { type: "reconcile" }>): string {
  const took = seconds === undefined ? "" : ` in ${Math.round(seconds * 1000)} ms`;
  const why = causes.length > 0 ? `, because of ${causes.join(", ")}` : "";
  const again = requeueAfter === undefined ? "" : `, again after ${requeueAfter / 1000} s`;
  const failed = error === undefined ? "" : `: ${error}`;
  return `${controller} reconciles ${request}${why}: ${outcome}${took}, ${requests.length >= mostRequests ? "at least " : ""}${count(requests.length, "request")}${again}${failed}`;
}
