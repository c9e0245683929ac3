export * from "./status-error.ts";
