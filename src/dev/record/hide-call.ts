import { isObject } from "@tsbuilder/apimachinery/json";
import { type JSONPatchOperation, parsePointer } from "@tsbuilder/apimachinery/patch";
import { hiddenValue, lastApplied } from "../hide-secret.ts";
import type { RecordedAdmission } from "./recorded-call.ts";

/**
 * A call about a Secret without its values: those of the objects and of the patch, and what the webhook says with them. The
 * names of all fields stay, so that the patch still fits the object.
 */
export function hideCall(call: RecordedAdmission): RecordedAdmission {
  if (call.resource !== "secrets") return call;
  const { object, oldObject, answer, failure } = call;
  const { patch, ...said } = answer ?? {};
  const hider = new SecretHider();
  const objects = { object: hider.hide(object, []), oldObject: hider.hide(oldObject, []) };
  const operations = patch?.map((operation) => hideOperation(operation, hider));
  // Only now all values are known.
  return {
    ...call,
    ...objects,
    ...(answer && {
      answer: {
        ...hider.hideIn(said as typeof answer),
        ...(operations && { patch: operations.map((operation) => hideCopies(operation, hider)) }),
      },
    }),
    ...(failure && { failure: { ...failure, message: hider.hideIn(failure.message) } }),
  };
}

function hideOperation(operation: JSONPatchOperation, hider: SecretHider): JSONPatchOperation {
  if (!("value" in operation)) return operation;
  const path: unknown = operation.path;
  const steps = typeof path === "string" ? parsePointer(path) : [];
  return { ...operation, value: hider.hide(operation.value, steps) };
}

function hideCopies(operation: JSONPatchOperation, hider: SecretHider): JSONPatchOperation {
  return "value" in operation ? { ...operation, value: hider.hideIn(operation.value) } : operation;
}

/** Hides the values of Secrets, and texts with those that it has hidden. */
class SecretHider {
  readonly #values = new Set<string>();

  /** What stands at some steps of a Secret. */
  hide<Value>(value: Value, steps: readonly string[]): Value {
    return this.#hide(value, steps) as Value;
  }

  #hide(value: unknown, steps: readonly string[]): unknown {
    const isData = steps[0] === "data" || steps[0] === "stringData";
    if ((isData && steps.length > 1) || isLastApplied(steps)) return this.#hidden(value);
    if (isObject(value)) return mapMembers(value, (member, name) => this.#hide(member, [...steps, name]));
    if (value === undefined || value === null) return value;
    return isData || steps.length === 0 ? this.#hidden(value) : value;
  }

  /** All texts with a value are hidden, whatever else they say. */
  hideIn<Said>(said: Said): Said {
    return this.#hideIn(said) as Said;
  }

  #hideIn(said: unknown): unknown {
    if (typeof said === "string")
      return [...this.#values].some((value) => said.includes(value)) ? hiddenValue : said;
    if (Array.isArray(said)) return said.map((one) => this.#hideIn(one));
    return isObject(said) ? mapMembers(said, (member) => this.#hideIn(member)) : said;
  }

  #hidden(value: unknown): string {
    this.#note(value);
    return hiddenValue;
  }

  #note(value: unknown): void {
    if (typeof value === "object" && value !== null)
      return Object.values(value).forEach((one) => this.#note(one));
    const text = String(value);
    const forms = [text, Buffer.from(text, "base64").toString(), Buffer.from(text).toString("base64")];
    for (const form of forms) {
      if (form === "" || form === hiddenValue) continue;
      this.#values.add(form).add(JSON.stringify(form).slice(1, -1));
    }
  }
}

/** kubectl apply writes the data here, too. */
function isLastApplied(steps: readonly string[]): boolean {
  return steps[0] === "metadata" && steps[1] === "annotations" && steps[2] === lastApplied;
}

function mapMembers(
  object: Readonly<Record<string, unknown>>,
  map: (member: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(member, name)]));
}
