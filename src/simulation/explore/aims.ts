import type { Fault, Run, TraceEvent } from "../contract/index.ts";
import { beginOf, eventsIn, kindOfCall } from "../contract/run.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";
import { hasWorkInMonths } from "../world/simulate.ts";

/** A moment at which a fault may strike, as the fault says it. */
export interface Moment extends Pick<Fault, "in"> {
  /** Virtual milliseconds since the beginning of the phase. */
  readonly at: number;
}

/** Something that a process did in the undisturbed run: a request, or a call of another system. */
export interface Act {
  readonly place: Moment;
  readonly process: string;
  readonly what: "read" | "write" | "call";
  /** What was done to which kind of objects, or in which system. */
  readonly kind: string;
  /** The object, or the text of the call. */
  readonly about: string;
  /** The kind of the process's next act; empty if it rests before. A process that dies in between leaves the one without the other. */
  readonly next: string;
  /** The number of the write or call in its phase, counted from 1. */
  readonly number: number;
  /** The number among the acts of its kind. */
  readonly ofKind: number;
  /** The number of the request among reads and writes. */
  readonly request: number;
}

/** What can be disturbed in one phase of a run: what happened in the undisturbed one, and when. */
export class Aims {
  readonly acts: readonly Act[];
  /** The times of changes and steps, since the beginning of the phase. */
  readonly changes: readonly number[];
  readonly phase: Fault["in"];

  constructor(plain: Run, phase: Fault["in"]) {
    const { trace, writes, requests } = plain;
    const processes = Object.keys(writes).filter((process) => requests[process]! > 0);
    const events = eventsIn(phase ?? "steps", trace);
    const begin = beginOf(phase ?? "steps", trace);
    this.phase = phase;
    this.acts = processes.flatMap((process) => actsOf(process, events, (at) => this.#placeAt(at - begin)));
    this.changes = events.flatMap(({ type, at }) =>
      type === "change" || type === "step" ? [at - begin] : [],
    );
  }

  /** Draws an act of a kind: the last one about an object, for which nothing later makes up, or one of those with the same next act. */
  draw(random: Random, { process, what, kind }: Pick<Act, "process" | "what" | "kind">): Act {
    const acts = this.acts.filter((act) => act.process === process && act.what === what && act.kind === kind);
    if (random.chance(0.5)) return random.pick([...new Map(acts.map((act) => [act.about, act])).values()]);
    const next = random.pick([...new Set(acts.map((act) => act.next))]);
    return random.pick(acts.filter((act) => act.next === next));
  }

  /** Draws a moment at which something changed: a fault at an idle time disturbs nobody. */
  moment(random: Random): Moment {
    return this.#placeAt(this.changes.length > 0 ? random.pick(this.changes) : 0);
  }

  #placeAt(at: number): Moment {
    return { at, ...(this.phase && { in: this.phase }) };
  }
}

/** Months in which operators only look at other systems are disturbed in one of so many turns: they take long. */
const turnsOfLooks = 4;

/** Returns what can be disturbed in each phase of a disturbed run, or of one whose turn it is. */
export function aimsIn(plain: Run, turn = 1): Aims[] {
  const hasMonths = hasWorkInMonths(plain) || (turn % turnsOfLooks === 0 && looksInMonths(plain));
  const phases: Fault["in"][] = [undefined, ...(hasMonths ? ["months" as const] : []), "deletion"];
  return phases.map((phase) => new Aims(plain, phase));
}

function looksInMonths({ trace }: Run): boolean {
  return eventsIn("months", trace).some(({ type }) => type === "call");
}

/** Milliseconds after which a process that does nothing more rests. */
const restTime = 1000;

function actsOf(process: string, events: Run["trace"], placeAt: (at: number) => Moment): Act[] {
  const counts = { read: 0, write: 0, call: 0 };
  const own = events.filter(
    (event) => (event.type === "request" || event.type === "call") && event.process === process,
  ) as (TraceEvent & { readonly type: "request" | "call" })[];
  const numbers = new Map<string, number>();
  const kinds = own.map((event) => (event.type === "call" ? kindOfCall(event) : event.kind));
  return own.map((event, index) => {
    const what = event.type === "call" ? "call" : event.method === "GET" ? "read" : "write";
    const number = ++counts[what];
    const after = own[index + 1];
    const ofKind = (numbers.get(kinds[index]!) ?? 0) + 1;
    numbers.set(kinds[index]!, ofKind);
    return {
      ofKind,
      place: placeAt(event.at),
      process,
      what,
      kind: kinds[index]!,
      about: event.type === "call" ? event.text : (event.object ?? event.path),
      next: after && after.at - event.at < restTime ? kinds[index + 1]! : "",
      number,
      request: counts.read + counts.write,
    };
  });
}
