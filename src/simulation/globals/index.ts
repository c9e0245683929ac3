export { inContext } from "./in-context.ts";
export { OutsideError } from "./outside-error.ts";
export { inside, type Surroundings, surroundings } from "./surroundings.ts";
export { withVirtualGlobals } from "./virtual-globals.ts";
