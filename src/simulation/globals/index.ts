/**
 * Virtual time and chance for code that asks Node's globals for them. `environment.ts` says what such code sees;
 * `virtual-globals.ts` replaces the globals that look at it.
 */
export { environment, type Environment, inContext, inside, OutsideError } from "./environment.ts";
export { withVirtualGlobals } from "./virtual-globals.ts";
