export { inContext } from "./in-context.ts";
export { OutsideError } from "./outside-error.ts";
export { inside, type Environment, environment } from "./environment.ts";
export { withVirtualGlobals } from "./virtual-globals.ts";
