import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "../../shared/errors.ts";
import { isApiError } from "../config/explain-rejection.ts";

/** Executes an action of the page, and returns the answer. The input is not validated yet: see `ActionInput`. */
export type PageAction = (input: unknown) => Promise<unknown>;

/** The actions of a session by their names. */
export type PageActions = Readonly<Record<string, PageAction>>;

/** Reads the members of an action's input. Throws a RequestError for one that is missing or has another type. */
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

  /** Reads a whole number up to a limit; undefined if it is missing. */
  optionalCount(name: string, most: number): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most)
      return value as number;
    throw new RequestError(400, `"${name}" must be a whole number up to ${most}`);
  }
}

/** An error with the status code of the answer. The page shows its message. */
export class RequestError extends Error {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

interface Failure {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The invalid fields of an object that the cluster rejected. */
  readonly causes?: readonly { readonly field: string; readonly message: string }[] | undefined;
}

/** Returns the status code and the body of the answer to a failed action. */
export function describeFailure(error: unknown): { readonly code: number; readonly failure: Failure } {
  const { message } = error as Error;
  if (error instanceof RequestError) return { code: error.code, failure: { message } };
  if (error instanceof TsbuilderError) return { code: 400, failure: { message, hint: error.hint } };
  if (!isApiError(error)) return { code: 500, failure: { message } };
  const causes = error.body.details?.causes?.map((cause) => ({
    field: cause.field ?? "",
    message: cause.message ?? "",
  }));
  const isTheirs = error.status >= 400 && error.status < 500;
  return {
    code: isTheirs ? error.status : 502,
    failure: { message: error.body.message ?? message, ...(causes && { causes }) },
  };
}
