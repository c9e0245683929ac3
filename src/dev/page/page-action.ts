// The contract of the page's actions: how they read their input, answer failures and are recorded.

import { isObject } from "@tsbuilder/apimachinery/json";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { isApiError } from "../config/explain-rejection.ts";
import type { RecordedAction } from "../record/recorded.ts";

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
  optionalCount(name: string, max: number): number | undefined {
    const value = this.#members[name];
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) return value as number;
    throw new RequestError(400, `"${name}" must be a whole number up to ${max}`);
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

/** The body of the answer to a failed action. */
interface Failure {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The invalid fields of an object that the cluster rejected. */
  readonly causes?: readonly { readonly field: string; readonly message: string }[] | undefined;
}

/** Returns the status code and the body of the answer to a failed action. Errors of the cluster keep their code, if it is 4xx. */
export function describeFailure(error: unknown): { readonly code: number; readonly failure: Failure } {
  const { message } = error as Error;
  if (error instanceof RequestError) return { code: error.code, failure: { message } };
  if (error instanceof TsbuilderError) return { code: 400, failure: { message, hint: error.hint } };
  if (!isApiError(error)) return { code: 500, failure: { message } };
  const causes = error.body.details?.causes?.map((cause) => ({
    field: cause.field ?? "",
    message: cause.message ?? "",
  }));
  const isRefused = error.status >= 400 && error.status < 500;
  return {
    code: isRefused ? error.status : 502,
    failure: { message: error.body.message ?? message, ...(causes && { causes }) },
  };
}

/** Receives each action when it has ended. */
interface ActionRecord {
  acted(action: Omit<RecordedAction, "type">): void;
}

/** Returns the same actions, which record themselves with their outcome, unless they change nothing. */
export function recordActions(actions: PageActions, record: ActionRecord): PageActions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, recordAction(name, action, record)]),
  );
}

function recordAction(name: string, action: PageAction, record: ActionRecord): PageAction {
  return async (input) => {
    const recordedPart = recordedInput(name, input);
    if (recordedPart === undefined) return action(input);
    const [at, began] = [new Date().toISOString(), performance.now()];
    const end = (rest: Pick<RecordedAction, "outcome" | "error">): void =>
      record.acted({ at, name, input: recordedPart, ...rest, seconds: (performance.now() - began) / 1000 });
    try {
      const answer = await action(input);
      end({ outcome: "done" });
      return answer;
    } catch (error) {
      const { message } = describeFailure(error).failure;
      end({ outcome: "refused", ...(mayRecordError(name, recordedPart) && { error: message }) });
      throw error;
    }
  };
}

type RecordedInput = RecordedAction["input"];

/**
 * Returns the recorded part of an action's input, which is not validated yet; undefined for an action that changes nothing. An
 * object is reduced to its name: its content may be secret, and is recorded by the write.
 */
function recordedInput(name: string, input: unknown): RecordedInput | undefined {
  const members = isObject(input) ? input : {};
  if (name === "apply" && members["dryRun"] === true) return undefined;
  if (name === "apply") return pickMembers(readReference(members), referenceMembers);
  const names = Object.hasOwn(recordedMembers, name) ? recordedMembers[name] : undefined;
  return names && pickMembers(members, names);
}

/** The members that identify an object. */
const referenceMembers = ["apiVersion", "kind", "namespace", "name"];

/** The recorded members of each action that changes something. */
const recordedMembers: Readonly<Record<string, readonly string[]>> = {
  restart: [],
  "lose-leader": [],
  "move-clock": ["seconds"],
  fail: ["verb", "resource", "code", "delay", "times"],
  restore: ["at"],
  delete: referenceMembers,
};

/** Returns whether the error of an action may be recorded: those about a Secret, or unreadable YAML, may quote secret values. */
function mayRecordError(name: string, { kind }: RecordedInput): boolean {
  return name !== "apply" || (kind !== undefined && kind !== "Secret");
}

/** The length to which members are cut; the page sends no longer ones. */
const maxText = 300;

function pickMembers(from: Readonly<Record<string, unknown>>, names: readonly string[]): RecordedInput {
  const found = names.flatMap((name): [string, string | number | boolean][] => {
    const value = from[name];
    if (typeof value === "string") return [[name, value.slice(0, maxText)]];
    return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

/** Returns the members that identify the object of an `apply`, which is text in YAML. */
function readReference({
  object: text,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [object] = typeof text === "string" ? parseYaml(text) : [];
  if (!isObject(object)) return {};
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return { apiVersion, kind, namespace, name };
}

/** Parses YAML; unreadable YAML counts as no object. */
function parseYaml(text: string): readonly unknown[] {
  try {
    return readYaml("the object", text, { code: "INVALID_ARGUMENT", hint: "" });
  } catch {
    return [];
  }
}
