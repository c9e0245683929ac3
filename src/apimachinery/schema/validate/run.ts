import { goJSON, quote } from "../../text/index.ts";
import {
  type FieldError,
  invalid,
  invalidFloat,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../errors/index.ts";

/** There is no old value; `null` and `undefined` are values. */
export const uncorrelated = Symbol("uncorrelated");

/**
 * The state of one validation: the current path, the errors, and the number of checks that passed, which decides which
 * branch of an `anyOf` or `oneOf` is reported.
 */
export class Run {
  errors: FieldError[] = [];
  matches = 0;
  /** The old value at the current path; only used if `ratcheting`. */
  old: unknown = uncorrelated;
  readonly ratcheting: boolean;
  readonly #prefix: string;
  readonly #path: string[] = [];

  constructor(options: { prefix?: string; old?: unknown }) {
    this.#prefix = options.prefix ?? "";
    this.ratcheting = options.old !== undefined;
    if (this.ratcheting) this.old = options.old;
  }

  enter(step: string): void {
    this.#path.push(step);
  }

  leave(): void {
    this.#path.pop();
  }

  get isRoot(): boolean {
    return this.#path.length === 0;
  }

  /** Returns true for the apiVersion and kind of the validated object itself. */
  isTypeField(key: string): boolean {
    return this.#path.length === 1 && (key === "kind" || key === "apiVersion");
  }

  /** The path as in messages: properties of the root have no leading dot, its other keys have one. */
  path(step = ""): string {
    return this.#path.join("") + step;
  }

  required(step: string): void {
    this.errors.push(required(this.#field(this.path(step))));
  }

  wrongType(expected: string, actual: string): void {
    const path = this.path();
    const detail = `${path} in body must be of type ${expected}: ${quote(actual)}`;
    this.errors.push(typeInvalid(this.#field(path), actual, detail));
  }

  wrongFormat(format: string, value: string): void {
    const path = this.path();
    const detail = `${path} in body must be of type ${format}: ${quote(value)}`;
    this.errors.push(typeInvalid(this.#field(path), value, detail));
  }

  notOneOf(value: unknown, allowed: readonly unknown[]): void {
    const texts = allowed.map((item) => (typeof item === "string" ? item : goJSON(item)));
    this.errors.push(notSupported(this.#field(this.path()), value, texts));
  }

  invalid(value: unknown, message: string): void {
    const path = this.path();
    this.errors.push(invalid(this.#field(path), value, `${path} in body ${message}`));
  }

  invalidFloat(value: number, message: string): void {
    const path = this.path();
    this.errors.push(invalidFloat(this.#field(path), value, `${path} in body ${message}`));
  }

  invalidFactor(value: unknown, factor: string): void {
    const path = this.path();
    const detail = `factor MultipleOf declared for ${path} must be positive: ${factor}`;
    this.errors.push(invalid(this.#field(path), value, detail));
  }

  forbiddenProperty(key: string): void {
    const path = this.path();
    this.errors.push(invalid(this.#field(path), key, `${path}.${key} in body is a forbidden property`));
  }

  tooLong(max: number): void {
    this.errors.push(tooLong(this.#field(this.path()), max));
  }

  tooMany(actual: number, max: number): void {
    this.errors.push(tooMany(this.#field(this.path()), actual, max));
  }

  /** Adds an error of `anyOf`, `oneOf`, `allOf` or `not`: the path is in the message only, the field is the object. */
  composite(text: string): void {
    this.errors.push(invalid(this.#field(""), "", text));
  }

  #field(path: string): string {
    const relative = path.startsWith(".") ? path.slice(1) : path;
    if (relative === "") return this.#prefix === "" ? "<nil>" : this.#prefix;
    return this.#prefix === "" ? relative : `${this.#prefix}.${relative}`;
  }
}
