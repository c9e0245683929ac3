import { isObject } from "@tsbuilder/apimachinery/json";
import { RequestError } from "./request-error.ts";

/** What a page sends with an action, member by member; what is missing or of another type is refused. */
export class ActionInput {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(input: unknown) {
    if (!isObject(input)) throw new RequestError(400, "the body must be an object");
    this.#members = input;
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined || value === "") throw new RequestError(400, `"${name}" must be a text`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#members[name];
    if (value === undefined || typeof value === "string") return value;
    throw new RequestError(400, `"${name}" must be a text`);
  }

  flag(name: string): boolean {
    const value = this.#members[name] ?? false;
    if (typeof value === "boolean") return value;
    throw new RequestError(400, `"${name}" must be true or false`);
  }

  /** A whole number up to a limit; undefined if there is none. */
  optionalCount(name: string, most: number): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most)
      return value as number;
    throw new RequestError(400, `"${name}" must be a whole number up to ${most}`);
  }
}
