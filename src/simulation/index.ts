export * from "./contract/index.ts";
export { OutsideError } from "./globals/index.ts";
export { Random } from "./random/index.ts";
export { simulate } from "./world/simulate.ts";
