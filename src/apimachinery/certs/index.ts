export * from "./certificate.ts";
