import { environment } from "./environment.ts";

/** `Date` with the time of the environment. */
export function virtualDate(real: DateConstructor): DateConstructor {
  const now = (): number => Math.floor(environment()?.clock.now() ?? real.now());
  return new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 && environment() ? [now()] : args, newTarget) as Date,
    apply: () => new real(now()).toString(),
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
}
