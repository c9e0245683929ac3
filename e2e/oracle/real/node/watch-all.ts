import type { Watched } from "../../../support/eventually.ts";
import type { Program } from "./sandbox.ts";

/** Watches programs that need each other; the output is that of the one which ended. */
export function whicheverEnds(programs: readonly Program[]): Watched {
  const all = programs.map(({ watched }) => watched);
  const ended = (): Watched | undefined => all.find(({ end }) => end !== undefined);
  return {
    get end() {
      return ended()?.end;
    },
    get output() {
      return ended()?.output ?? "";
    },
    next: () => Promise.race(all.map((each) => each.next())),
  };
}
