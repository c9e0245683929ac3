export * from "./json.ts";
