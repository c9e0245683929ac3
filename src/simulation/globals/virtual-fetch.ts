import { environment } from "./environment.ts";
import { OutsideError } from "./outside-error.ts";

/** `fetch()`, answered by the stand-in of the simulation. */
export function virtualFetch(real: typeof fetch): typeof fetch {
  return async (input, init) => {
    const around = environment();
    if (!around?.isClosed) return real(input, init);
    if (!around.http) throw new OutsideError("fetch()", "give the scenario `http`, a stand-in that answers");
    return around.http(new Request(input, init));
  };
}
