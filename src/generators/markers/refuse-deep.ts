import { MarkerError } from "./marker-error.ts";
import { Scanner } from "./scanner.ts";

/** No default or example of a resource is nested more deeply. */
const deepest = 100;

/** Refuses a value in which braces are nested without end: reading it would exhaust the stack. */
export function refuseDeep(text: string): void {
  if (text.split("{", deepest + 2).length <= deepest + 1) return;
  const scanner = new Scanner(text);
  let depth = 0;
  for (let token = scanner.scan(false); token.kind !== "end"; token = scanner.scan(false)) {
    if (token.text === "}") depth--;
    else if (token.text === "{" && ++depth > deepest) {
      throw new MarkerError(`the value is nested more than ${deepest} times`, token.start, "nest it less");
    }
  }
}
