import { placesOfCall } from "../../../dev/record/recorded-call.ts";
import type { Call } from "../history.ts";

/** So many are named. */
const most = 3;

/** The first objects that some calls were about. */
export class CalledPlaces {
  readonly #places = new Set<string>();

  add(call: Call): void {
    for (const place of placesOfCall(call)) if (this.#places.size < most) this.#places.add(place);
  }

  get all(): readonly string[] {
    return [...this.#places];
  }
}
