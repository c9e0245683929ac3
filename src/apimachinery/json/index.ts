export * from "./json.ts";
export { readPath } from "./json-path.ts";
