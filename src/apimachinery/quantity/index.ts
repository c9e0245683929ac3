export * from "./quantity.ts";
