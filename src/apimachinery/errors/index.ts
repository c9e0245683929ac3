export * from "./field-error.ts";
