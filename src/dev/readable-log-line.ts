import { isObject } from "@tsbuilder/apimachinery/json";
import { placeOf } from "./readable-stack.ts";

/** A line of the operator's JSON log, for people. */
export interface ReadableLine {
  /** Its time of day. */
  readonly time: string;
  /** Its level, message, and other fields as key=value; of an error also the place in the project's sources. */
  readonly text: string;
  readonly stack: string | undefined;
  /** The controller that logged it, and the kind that it is for. */
  readonly controller: string | undefined;
  readonly controllerKind: string | undefined;
}

/** Fields that repeat on every line of a controller, or that only machines read. */
const leftOut = new Set([
  "level",
  "ts",
  "msg",
  "controllerGroup",
  "controllerKind",
  "reconcileID",
  "stacktrace",
]);

/** Reads a line of the operator's JSON log; undefined for other lines. */
export function readableLogLine(line: string, root?: string): ReadableLine | undefined {
  const fields = parseFields(line);
  if (!fields) return undefined;
  const textIn = (name: string): string | undefined =>
    typeof fields[name] === "string" ? fields[name] : undefined;
  const stack = textIn("stacktrace");
  const place = stack === undefined ? undefined : placeOf(stack, root);
  const { error, ...others } = fields;
  const rest = Object.entries({ ...(error !== undefined && { error }), ...others })
    .filter(([name, value]) => !leftOut.has(name) && !isReference(value))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const words = [
    (textIn("level") ?? "").padEnd(5),
    fields.msg,
    ...(place === undefined ? [] : [`at ${place}`]),
    ...rest,
  ];
  return {
    time: /T(\d\d:\d\d:\d\d)/.exec(textIn("ts") ?? "")?.[1] ?? "",
    text: words.join(" "),
    stack,
    controller: textIn("controller"),
    controllerKind: textIn("controllerKind"),
  };
}

interface LogFields {
  readonly msg: string;
  readonly [name: string]: unknown;
}

function parseFields(line: string): LogFields | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const fields = JSON.parse(line) as LogFields;
    return typeof fields.msg === "string" ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** A reconciler's lines contain their object twice: as a reference, and as namespace and name. */
function isReference(value: unknown): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => name === "name" || name === "namespace");
}
