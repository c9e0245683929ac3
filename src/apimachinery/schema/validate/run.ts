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

/** Marks the absence of an old value to compare with; `null` and `undefined` are values. */
export const uncorrelated = Symbol("uncorrelated");

/**
 * The state of one validation: where it is, what it found, and how many checks passed.
 * The number of passed checks decides which branch of an `anyOf` or `oneOf` gets reported.
 */
export class Run {
  errors: FieldError[] = [];
  matches = 0;
  /** The old value at the current place; only read when `ratcheting`. */
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

  /** Tells whether a key is a type field of the validated object itself. */
  isTypeField(key: string): boolean {
    return this.#path.length === 1 && (key === "kind" || key === "apiVersion");
  }

  /** The path as messages show it: properties of the root have no dot in front, its other keys have. */
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

  invalid(value: unknown, complaint: string): void {
    const path = this.path();
    this.errors.push(invalid(this.#field(path), value, `${path} in body ${complaint}`));
  }

  invalidFloat(value: number, complaint: string): void {
    const path = this.path();
    this.errors.push(invalidFloat(this.#field(path), value, `${path} in body ${complaint}`));
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

  /** Errors of `anyOf` and its kin name their place in the text only; the field is the validated object. */
  composite(text: string): void {
    this.errors.push(invalid(this.#field(""), "", text));
  }

  #field(path: string): string {
    const relative = path.startsWith(".") ? path.slice(1) : path;
    if (relative === "") return this.#prefix === "" ? "<nil>" : this.#prefix;
    return this.#prefix === "" ? relative : `${this.#prefix}.${relative}`;
  }
}
