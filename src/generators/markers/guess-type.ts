import type { ArgumentType } from "./argument-type.ts";
import { Scanner } from "./scanner.ts";

/**
 * Guesses the type of an untyped value, without moving the scanner. The order is that of controller-gen, so that the
 * same text means the same: quoted, braces, `a;b`, bool, number, bare string.
 */
export function guessType(scanner: Scanner, listAllowed: boolean): ArgumentType {
  if (listAllowed) {
    const item = guessType(scanner, false);
    return hasSemicolonNext(scanner) ? { type: "list", item } : item;
  }
  const ahead = new Scanner(scanner.text, scanner.pos);
  const hint = ahead.peekNoSpace();
  if (hint === '"' || hint === "'" || hint === "`") return { type: "string" };
  if (hint === "{") return guessBraces(ahead);
  const first = ahead.scan();
  if (first.text === "true" || first.text === "false") return { type: "bool" };
  const number = first.text === "-" ? ahead.scan() : first;
  if (number.kind !== "int" && number.kind !== "float") return { type: "string" };
  // `100Mi` and `2024-01-15` start with a number but are strings.
  if (!["", ",", ";", "}"].includes(ahead.peekNoSpace())) return { type: "string" };
  return { type: number.kind === "int" ? "int" : "number" };
}

function hasSemicolonNext(scanner: Scanner): boolean {
  const ahead = new Scanner(scanner.text, scanner.pos);
  for (let token = ahead.scan(); ; token = ahead.scan()) {
    if (token.text === ";") return true;
    if (token.text === "," || token.kind === "end") return false;
  }
}

/** A map starts with a string and a colon, or is `{}`; everything else in braces is a list. */
function guessBraces(ahead: Scanner): ArgumentType {
  ahead.scan();
  if (ahead.peekNoSpace() === "}") return { type: "map", item: { type: "any" } };
  const item = guessType(ahead, false);
  if (item.type === "string") {
    const key = ahead.scan(false);
    if (key.kind !== "string" && key.kind !== "raw") {
      while (!["", ",", ";", "}", ":"].includes(ahead.peekNoSpace())) ahead.scan(false);
    }
    if (ahead.scan().text === ":") return { type: "map", item: { type: "any" } };
  }
  return { type: "list", item };
}
