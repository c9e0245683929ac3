export * from "./custom-resource-definition.ts";
