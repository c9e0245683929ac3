import { type Check, type Scenario, type State, stateOf } from "../contract/index.ts";
import type { World } from "./world.ts";

/** Checks the user's promises: after each change, and in the end. Each is reported once. */
export function watchPromises(
  world: World,
  { always = {}, never = {}, eventually = {} }: Scenario,
): { end(state: State): void } {
  const broken = new Set<string>();
  const check = (
    promise: "always" | "never" | "eventually",
    checks: { readonly [name: string]: Check },
    state: State,
    wanted: boolean,
  ): void => {
    for (const [name, holds] of Object.entries(checks)) {
      if (broken.has(name) || holds(state) === wanted) continue;
      broken.add(name);
      world.recorder.add({ type: "promise", promise, name });
    }
  };
  if (Object.keys({ ...always, ...never }).length > 0)
    world.onChange = () => {
      const state = stateOf(world.objects());
      check("always", always, state, true);
      check("never", never, state, false);
    };
  return { end: (state) => check("eventually", eventually, state, true) };
}
