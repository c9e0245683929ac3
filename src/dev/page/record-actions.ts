import { isObject } from "@tsbuilder/apimachinery/json";
import type { RecordedAction } from "../record/recorded.ts";
import { type PageAction, type PageActions, describeFailure } from "./page-action.ts";
import { readYaml } from "../../shared/read-yaml.ts";

/** Where actions are recorded. */
export interface ActionRecord {
  acted(action: Omit<RecordedAction, "type">): void;
}

/** The same actions, which are recorded with their outcome; those that change nothing are not. */
export function recordActions(actions: PageActions, record: ActionRecord): PageActions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, recorded(name, action, record)]),
  );
}

function recorded(name: string, action: PageAction, record: ActionRecord): PageAction {
  return async (input) => {
    const told = tellInput(name, input);
    if (told === undefined) return action(input);
    const [at, began] = [new Date().toISOString(), performance.now()];
    const tell = (rest: Pick<RecordedAction, "outcome" | "error">): void =>
      record.acted({ at, name, input: told, ...rest, seconds: (performance.now() - began) / 1000 });
    try {
      const answer = await action(input);
      tell({ outcome: "done" });
      return answer;
    } catch (error) {
      const { message } = describeFailure(error).failure;
      tell({ outcome: "refused", ...(isErrorTold(name, told) && { error: message }) });
      throw error;
    }
  };
}

type Told = RecordedAction["input"];

/** The members that say which object an action is about. */
const reference = ["apiVersion", "kind", "namespace", "name"];

/** What is told of each action that changes something. */
const members: Readonly<Record<string, readonly string[]>> = {
  restart: [],
  "lose-leader": [],
  "move-clock": ["seconds"],
  fail: ["verb", "resource", "code", "delay", "times"],
  restore: ["at"],
  delete: reference,
};

/** No member is that long, unless somebody else than the page sent it. */
const longest = 300;

/**
 * What a record tells of an action's input, which is not checked yet; undefined of an action that changes nothing. Of an
 * object it tells its name: what is in it may be secret, and is recorded as a write if it is written.
 */
function tellInput(name: string, input: unknown): Told | undefined {
  const given = isObject(input) ? input : {};
  if (name === "apply") return given["dryRun"] === true ? undefined : pick(referenceIn(given), reference);
  const told = Object.hasOwn(members, name) ? members[name] : undefined;
  return told && pick(given, told);
}

/** Whether why an action was refused is told: what is said of a Secret, or of what can't be read, may quote it. */
function isErrorTold(name: string, { kind }: Told): boolean {
  return name !== "apply" || (kind !== undefined && kind !== "Secret");
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): Told {
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

/** What can't be read has no name. */
function parsed(text: string): readonly unknown[] {
  try {
    return readYaml("the object", text, { code: "INVALID_ARGUMENT", hint: "" });
  } catch {
    return [];
  }
}
