import { changedFields } from "@tsbuilder/apimachinery/meta";
import { count } from "../../shared/text.ts";
import { describeAction, describeFault } from "./describe-action.ts";
import type {
  Recorded,
  RecordedAdmission,
  RecordedCall,
  RecordedReconcile,
  RecordedWrite,
} from "./recorded.ts";
import { keyName, keysOfCall, placeName, summarizeEvent, writerName } from "./recorded.ts";
import { maxRequests } from "./operator-messages.ts";

/** A line of the story. */
interface ToldLine {
  readonly at: string;
  /** The keys of its objects and their owners, such as `default/db`; empty for output. */
  readonly about: readonly string[];
  readonly text: string;
}

/** The `about` of a line that is never filtered out. */
export const everything: readonly string[] = ["*"];

/** Tells a record as a story in the order of time: who changed which fields, which reconciles ran, and why. */
export function tellRecording(recorded: readonly Recorded[]): ToldLine[] {
  const objects = new Map<string, unknown>();
  const owners = new Owners();
  const told = recorded.flatMap((line): ToldLine[] => {
    switch (line.type) {
      case "write": {
        const place = placeName(line);
        const before = objects.get(place);
        objects.set(place, line.object);
        const about = owners.about(line);
        if (line.write === "KEPT") return [];
        return [{ at: line.at, about, text: describeWrite(line, before) }];
      }
      case "reconcile":
        return [{ at: line.at, about: [line.request], text: describeReconcile(line) }];
      case "webhook":
        return [{ at: line.at, about: keysOfCall(line), text: describeCall(line) }];
      case "operator":
      case "dev":
        return [{ at: line.at, about: [], text: `${line.type} | ${line.text}` }];
      case "action":
      case "fault": {
        const text = line.type === "action" ? describeAction(line) : describeFault(line);
        return [{ at: line.at, about: everything, text: `page | ${text}` }];
      }
      case "sample":
        return [];
      case "full":
        return [{ at: line.at, about: everything, text: "the record is full" }];
    }
  });
  return told.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function describeCall(call: RecordedCall): string {
  const took = `in ${Math.round(call.seconds * 1000)} ms`;
  if (call.call === "conversion") {
    const objects = call.count === 1 ? keysOfCall(call)[0] : count(call.count, "object");
    const asked = `conversion webhook of ${call.configuration} converts ${objects ?? "an object"} to ${call.apiVersion}`;
    return call.failure ? `${asked}: fails ${took}: ${call.failure.message}` : `${asked} ${took}`;
  }
  const { webhook, operation, resource, subresource, key, dryRun } = call;
  const object = `${resource}${subresource === "" ? "" : `/${subresource}`} ${key}`;
  return `${call.call} webhook ${webhook} is asked to ${operation} ${object}${dryRun ? " (dry run)" : ""}: ${describeVerdict(call, took)}`;
}

function describeVerdict({ answer, failure, ignored }: RecordedAdmission, took: string): string {
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

  /** Returns the keys of the objects that a write is about. Has to be called for all writes, in their order. */
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

/** The number of changed fields that are named. */
const maxFields = 5;

function describeWrite(recorded: RecordedWrite, before: unknown): string {
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
  const shown = fields.slice(0, maxFields).join(", ");
  const more = fields.length > maxFields ? ` and ${count(fields.length - maxFields, "more field")}` : "";
  return `${what} changes${shown === "" ? "" : ` in ${shown}${more}`}, by ${who}`;
}

/** Tells a reconcile in a sentence: what it was about, its causes, its outcome. */
export function describeReconcile(reconcile: RecordedReconcile): string {
  const { controller, request, outcome, causes, requests, error, seconds, requeueAfter } = reconcile;
  const took = seconds === undefined ? "" : ` in ${Math.round(seconds * 1000)} ms`;
  const why = causes.length > 0 ? `, because of ${causes.join(", ")}` : "";
  const again = requeueAfter === undefined ? "" : `, again after ${requeueAfter / 1000} s`;
  const failed = error === undefined ? "" : `: ${error}`;
  const does = reconcile.groupedBy === undefined ? "reconciles" : "writes or reads for";
  return `${controller} ${does} ${request}${why}: ${outcome}${took}, ${requests.length >= maxRequests ? "at least " : ""}${count(requests.length, "request")}${again}${failed}`;
}
