import type { ConstDeclaration, Module } from "./syntax.ts";

/** Tells whether a constant is a kind: made by `defineKind`, under whatever name that was imported. */
export function isDefineKind({ value }: ConstDeclaration, module: Module): boolean {
  if (value.kind !== "call") return false;
  return value.callee === "defineKind" || module.imports.get(value.callee)?.name === "defineKind";
}
