import { isObject } from "@tsbuilder/apimachinery/json";
import type { RecordedAction } from "../record/recorded.ts";
import { type PageAction, type PageActions, describeFailure } from "./page-action.ts";
import { readYaml } from "../../shared/read-yaml.ts";

/** Records actions. */
export interface ActionRecord {
  acted(action: Omit<RecordedAction, "type">): void;
}

/** Returns the same actions, which record themselves with their outcome, unless they change nothing. */
export function recordActions(actions: PageActions, record: ActionRecord): PageActions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, recorded(name, action, record)]),
  );
}

function recorded(name: string, action: PageAction, record: ActionRecord): PageAction {
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

/** The members that identify an object. */
const reference = ["apiVersion", "kind", "namespace", "name"];

/** The recorded members of each action that changes something. */
const members: Readonly<Record<string, readonly string[]>> = {
  restart: [],
  "lose-leader": [],
  "move-clock": ["seconds"],
  fail: ["verb", "resource", "code", "delay", "times"],
  restore: ["at"],
  delete: reference,
};

/** The length to which members are cut; the page sends no longer ones. */
const longest = 300;

/**
 * Returns the recorded part of an action's input, which is not validated yet; undefined for an action that changes nothing. An
 * object is reduced to its name: its content may be secret, and is recorded by the write.
 */
function recordedInput(name: string, input: unknown): RecordedInput | undefined {
  const given = isObject(input) ? input : {};
  if (name === "apply") return given["dryRun"] === true ? undefined : pick(referenceIn(given), reference);
  const names = Object.hasOwn(members, name) ? members[name] : undefined;
  return names && pick(given, names);
}

/** Returns true if the error of an action may be recorded: errors about a Secret, or about unreadable YAML, may quote its values. */
function mayRecordError(name: string, { kind }: RecordedInput): boolean {
  return name !== "apply" || (kind !== undefined && kind !== "Secret");
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): RecordedInput {
  const found = names.flatMap((name): [string, string | number | boolean][] => {
    const value = from[name];
    if (typeof value === "string") return [[name, value.slice(0, longest)]];
    return typeof value === "number" || typeof value === "boolean" ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

function referenceIn({ object }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [found] = typeof object === "string" ? parsed(object) : [];
  if (!isObject(found)) return {};
  const { apiVersion, kind, metadata } = found;
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return { apiVersion, kind, namespace, name };
}

/** Parses YAML; unreadable YAML counts as no object. */
function parsed(text: string): readonly unknown[] {
  try {
    return readYaml("the object", text, { code: "INVALID_ARGUMENT", hint: "" });
  } catch {
    return [];
  }
}
