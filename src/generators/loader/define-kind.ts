import type { ConstDeclaration, Module } from "./syntax.ts";

/** Returns whether a constant is a kind: created by `defineKind`, also if imported under another name. */
export function isDefineKind({ value }: ConstDeclaration, module: Module): boolean {
  if (value.kind !== "call") return false;
  return value.callee === "defineKind" || module.imports.get(value.callee)?.name === "defineKind";
}
