import { ControlLoop } from "../control-loop/control-loop.ts";
import { allControllers, type ControllerName } from "./all-controllers.ts";
import type { StagesContext } from "./stages/stages-context.ts";

/** Running controllers. */
interface RunningControllers {
  /** Stops them; resolves when their last writes are done. */
  stop(): Promise<void>;
}

/** Starts controllers by name. Each lists the existing objects and watches them from then on. */
export function startControllers(
  context: StagesContext,
  names: readonly ControllerName[],
): RunningControllers {
  // Programs in JavaScript, and casts, bring what the command line accepts.
  const unknown =
    typeof names === "string" ? names : names.find((name) => !Object.hasOwn(allControllers, name));
  if (unknown !== undefined)
    throw new TypeError(
      `controllers is a list of names, without "${unknown as string}": write controllers: ["deployment", "replicaset"], or controllers: controllerNames for all`,
    );
  const loops = [...new Set(names)].map(
    (name) => new ControlLoop(name, (clock) => allControllers[name]({ ...context, clock }), context),
  );
  const leave = loops.map((loop) => context.clock.join?.(() => loop.idle()));
  return {
    async stop() {
      for (const leaveClock of leave) leaveClock?.();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
