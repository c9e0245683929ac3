import { reservedWords } from "../syntax/token.ts";

/** Escapes a property name as a CEL identifier; returns undefined if that is not possible. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (match) => escapes[match]!);
}

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};
