import { surroundings } from "./surroundings.ts";

/** `Date` with the time of the surroundings. */
export function virtualDate(real: DateConstructor): DateConstructor {
  const now = (): number => Math.floor(surroundings()?.clock.now() ?? real.now());
  return new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 && surroundings() ? [now()] : args, newTarget) as Date,
    apply: () => new real(now()).toString(),
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}
