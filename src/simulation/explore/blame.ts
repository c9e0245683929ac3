import type { Moment, Site } from "../world/witness.ts";
import type { Finding } from "./examine.ts";

/** A run that was seen by a witness. */
export type Seen = readonly Moment[];

/**
 * Names the places in the user's code that a mistake is about: those that wrote what is wrong, and those that write it in the
 * run that the outcome should have been like.
 */
export function blame(finding: Finding, here: Seen, there: Seen | undefined): string[] {
  const lines = there
    ? finding.objects.flatMap((object) => compareWriters(finding, object, { here, there }))
    : writersOf(finding, upToMistake(finding, here)).map(deedText);
  return [...new Set(lines)];
}

/** Says who wrote an object in a run, and who writes it in the one that the outcome should have been like. */
function compareWriters(
  { compared, differences }: Finding,
  object: string,
  runs: { readonly here: Seen; readonly there: Seen },
): string[] {
  const fields = differences.flatMap((difference) =>
    difference.object === object && difference.field !== undefined ? [difference.field] : [],
  );
  const [here = [], there = []] = [runs.here, runs.there].map((run) =>
    writesAbout(run.slice(0, endOfSteps(run)), object),
  );
  const ofFields = here.findLast(({ event }) => touches(event, fields));
  const own = [...new Set([ofFields, here.at(-1)])].flatMap((write) => write ?? []);
  const other = there.findLast(({ event }) => touches(event, fields)) ?? there.at(-1);
  const lines = own.map(deedText);
  if (!other || own.some(({ site }) => site[0] === other.site[0])) return lines;
  const instead = compared === "fresh" ? "if asked for from the start" : "without the faults";
  const also = own.length > 0 ? "" : "; here, nothing did";
  return [...lines, `${siteText(other.site)}  ${deedOf(other.event)} ${instead}${also}`];
}

/** Returns the moments at which a run went wrong by itself: a call that failed, or the writes that the mistake is about. */
function writersOf({ class: found, objects, message }: Finding, run: Seen): Written[] {
  const writes = run.filter(isWrite);
  const failed = run
    .filter(isKnown)
    .find(
      ({ event }) =>
        (event.type === "log" && event.error !== undefined && message.endsWith(event.error)) ||
        (event.type === "request" && found === "forbidden" && event.status === 403) ||
        (event.type === "call" && message.endsWith(`: ${event.text}`)),
    );
  if (failed) return [failed];
  if (found === "promise") return writes.slice(-1);
  if (found === "leftover") return objects.flatMap((object) => writesAbout(run, object)[0] ?? []);
  const named = writes.filter(aboutAny(run, objects));
  return [...new Map(named.map((write) => [writerOf(write.event), write])).values()];
}

/** Returns the writes about an object; of calls, those whose texts have the most words of its name: URLs name things in their own way. */
function writesAbout(run: Seen, object: string): Written[] {
  const words = object.split(/[^\w-]+/);
  const likeness = ({ event }: Written): number =>
    event.type === "call" ? words.filter((word) => event.text.includes(word)).length : 0;
  const writes = run.filter(isWrite).filter(aboutAny(run, [object]));
  const most = Math.max(...writes.map(likeness));
  return writes.filter((write) => likeness(write) === most);
}

/** Returns the part of a run up to the moment that shows a mistake. */
export function upToMistake({ class: found, compared }: Finding, run: Seen): Seen {
  if (compared !== undefined) return run.slice(0, endOfSteps(run));
  const end = run.findIndex(
    ({ event }) =>
      (found === "promise" && event.type === "promise") ||
      (event.type === "phase" &&
        (!event.rests ||
          (event.phase === "restart" && (found === "hot-loop" || found === "fight")) ||
          (event.phase === "late restart" && found === "overdue"))),
  );
  return end === -1 ? run : run.slice(0, end + 1);
}

function endOfSteps(run: Seen): number {
  const end = run.findIndex(({ event }) => event.type === "phase");
  return end === -1 ? run.length : end;
}

/** A moment that has a place in the user's code. */
type Written = Moment & { readonly site: Site };

function isKnown(moment: Moment): moment is Written {
  return moment.site !== undefined;
}

/** Returns whether code of the user changed something at a moment, in the cluster or outside. */
function isWrite(moment: Moment): moment is Written {
  const { event } = moment;
  return isKnown(moment) && (event.type === "change" || (event.type === "call" && event.isChange));
}

function writerOf(event: Moment["event"]): string | undefined {
  return event.type === "change" ? event.by : "process" in event ? event.process : undefined;
}

/** Returns a function that tells whether a moment of a run is about one of some objects. */
export function aboutAny(run: Seen, objects: readonly string[]): (moment: Moment) => boolean {
  const named = objects.map((object) => parseObject(object, run));
  return ({ event }) => named.some((object) => isAbout(event, object));
}

/** An object as verdicts name it: `ConfigMap.v1 default/a`, `configmaps default/a`, or `records.external dns/a`. */
interface NamedObject {
  /** The kind with its version, or the resource. */
  readonly type: string;
  readonly key: string;
  /** The name of the entry, if calls name it, too. */
  readonly entry: string | undefined;
}

function parseObject(text: string, run: Seen): NamedObject {
  const [, type = "", key = ""] = /^(\S+) (.*?)(?: \(\d+\))?$/.exec(text) ?? [];
  const entry = key.slice(key.indexOf("/") + 1);
  const isCalled = run.some(({ event }) => event.type === "call" && event.text.includes(entry));
  return { type, key, entry: isCalled ? entry : undefined };
}

function isAbout(event: Moment["event"], { type, key, entry }: NamedObject): boolean {
  const isSame = (name: string): boolean =>
    key.endsWith("*") ? name.startsWith(key.slice(0, -1)) : name === key;
  switch (event.type) {
    case "change": {
      // The plural of a kind begins like the kind, but for a `y` at its end.
      const [kind = ""] = type.toLowerCase().split(".");
      const isOfKind = event.resource === type || event.resource.startsWith(kind.replace(/y$/, ""));
      return isOfKind && isSame(event.key);
    }
    case "call":
      return key.startsWith(`${event.to}/`) && (entry === undefined || event.text.includes(entry));
    case "log":
      return event.object === key;
    default:
      return false;
  }
}

/** Returns whether a change is about one of some fields; any is, if none are named. */
function touches(event: Moment["event"], fields: readonly string[]): boolean {
  if (event.type !== "change" || event.change !== "MODIFIED" || fields.length === 0) return true;
  return event.fields.some((field) =>
    fields.some((other) => `${field}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${field}.`)),
  );
}

function deedText({ event, site }: Written): string {
  return `${siteText(site)}  ${deedOf(event)}, at ${(event.at / 1000).toFixed(3)} s`;
}

function siteText([line, ...callers]: Site): string {
  return callers.length === 0 ? line : `${line} (called at ${callers.join(", ")})`;
}

function deedOf(event: Moment["event"]): string {
  switch (event.type) {
    case "change": {
      const did = { ADDED: "creates", MODIFIED: "changes", DELETED: "deletes" }[event.change];
      return `${did} ${event.resource} ${event.key}`;
    }
    case "call":
      return `calls ${event.to}: ${event.text}`;
    case "request":
      return `sends ${event.method} ${event.path.split("?")[0]}`;
    default:
      return "throws";
  }
}
