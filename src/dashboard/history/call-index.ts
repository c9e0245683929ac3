import { placeName } from "../../dev/record/places.ts";
import { placesOfCall } from "../../dev/record/recorded-call.ts";
import type { RecordedWrite } from "../../dev/record/recorded.ts";
import type { Call } from "./history.ts";
import { verdictOf, webhookName } from "./verdict.ts";

/** In milliseconds: so long after a call its object is there, or never will be. */
const patience = 1000;

/** Finds the calls of webhooks that were about an object. */
export class CallIndex {
  readonly #byPlace = new Map<string, Call[]>();
  /** Calls about new objects without a name yet, by where they are and how their name begins. */
  readonly #unnamed = new Map<string, Call[]>();

  add(call: Call): void {
    for (const place of placesOfCall(call)) this.#put(this.#byPlace, place, call);
    if (call.call === "conversion" || call.object?.metadata.name || call.operation !== "CREATE") return;
    const verdict = verdictOf(call);
    if (verdict === "denied" || verdict === "failed" || call.dryRun) return;
    this.#put(this.#unnamed, placeName(call), call);
  }

  /** An object is there: of each webhook that was asked about one of such a name, the first call that is left was about it. */
  created({ resource, key, object }: RecordedWrite, at: number): void {
    const { namespace, name = "", generateName } = object.metadata;
    if (!generateName || !name.startsWith(generateName)) return;
    const unnamed = namespace === undefined ? generateName : `${namespace}/${generateName}`;
    const place = placeName({ resource, key: unnamed });
    const waiting = this.#unnamed.get(place)?.filter(({ to }) => to >= at - patience);
    if (waiting === undefined) return;
    const found = new Map<string, Call>();
    for (const call of waiting) if (!found.has(webhookName(call))) found.set(webhookName(call), call);
    const calls = new Set(found.values());
    for (const call of calls) this.#put(this.#byPlace, placeName({ resource, key }), call);
    this.#unnamed.set(
      place,
      waiting.filter((call) => !calls.has(call)),
    );
  }

  about(place: string): readonly Call[] {
    return this.#byPlace.get(place) ?? [];
  }

  #put(calls: Map<string, Call[]>, place: string, call: Call): void {
    const known = calls.get(place);
    if (known === undefined) calls.set(place, [call]);
    else known.push(call);
  }
}
