import { isObject } from "@tsbuilder/apimachinery/json";

/** A line of the operator's JSON log, for people. */
export interface ReadableLine {
  /** The time of day. */
  readonly time: string;
  /** The level, the message and other fields as key=value; for an error, also the place in the project's sources. */
  readonly text: string;
  readonly stack: string | undefined;
  /** The controller that logged the line, and the kind that it reconciles. */
  readonly controller: string | undefined;
  readonly controllerKind: string | undefined;
}

/** Fields that repeat on every line of a controller, or that only machines read. */
const omittedFields = new Set([
  "level",
  "ts",
  "msg",
  "controllerGroup",
  "controllerKind",
  "reconcileID",
  "stacktrace",
]);

/** Reads a line of the operator's JSON log; undefined for other lines. Places below the folder `root` are relative to it. */
export function readableLogLine(line: string, root?: string): ReadableLine | undefined {
  const fields = parseFields(line);
  if (!fields) return undefined;
  const textIn = (name: string): string | undefined =>
    typeof fields[name] === "string" ? fields[name] : undefined;
  const stack = textIn("stacktrace");
  const place = stack === undefined ? undefined : placeOf(stack, root);
  // The error goes first.
  const { error, ...others } = fields;
  const rest = Object.entries({ ...(error !== undefined && { error }), ...others })
    .filter(([name, value]) => !omittedFields.has(name) && !isReference(value))
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

/** Returns the first place of a stack that is not in a package or Node: `src/controller/mysql_controller.ts:40:5`. */
export function placeOf(stack: string, root?: string): string | undefined {
  for (const line of stack.split("\n")) {
    const frame = parseOwnFrame(line, root);
    if (frame !== undefined) return frame.place;
  }
  return undefined;
}

/**
 * Formats a stack for somebody who looks for a mistake in the project: the message and the project's own frames, with paths
 * below its folder. Node has mapped them to the sources already. A row of frames of packages and Node is replaced by their number.
 */
export function readableStack(stack: string, root?: string): string[] {
  const lines: string[] = [];
  let foreign = 0;
  const writeForeign = (): void => {
    if (foreign > 0) lines.push(`    … ${foreign} of packages and Node`);
    foreign = 0;
  };
  for (const line of stack.split("\n")) {
    const frame = parseOwnFrame(line, root);
    if (frame === undefined && /^\s+at /u.test(line)) {
      foreign += 1;
      continue;
    }
    writeForeign();
    if (frame === undefined) lines.push(line);
    else if (frame.name === undefined) lines.push(`    at ${frame.place}`);
    else lines.push(`    at ${frame.name} (${frame.place})`);
  }
  writeForeign();
  return lines;
}

/** Says what to do about a request to another system that did not get there; undefined for other errors. */
export function connectionAdvice(error: string): string | undefined {
  // A request to the API server begins with its method and path: it is down, and not what the operator calls.
  if (/^[A-Z]+ \/\S*: /u.test(error)) return undefined;
  const found = connectionErrors.find(([pattern]) => pattern.test(error));
  return (
    found &&
    `${found[1]}. Under dev the operator runs on this machine, and reaches no pod and no Service of the cluster: start here what it calls, and have a setting name the address.`
  );
}

/** The texts of Node's errors, the most exact first. */
const connectionErrors = [
  [/\bECONNREFUSED\b/u, "Nothing listens at this address"],
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/u, "Nobody knows this name"],
  [/\b(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/u, "Nothing answers at this address"],
  [/\b(?:fetch failed|ECONNRESET)\b/u, "The request got no response"],
] as const;

/** Splits an error into its message and its readable frames. A stack has no causes: then the message is the error, which has them. */
export function readableError(
  error: string,
  stack = "",
  root?: string,
): { readonly message: string; readonly frames: readonly string[] } {
  const lines = readableStack(stack, root);
  const first = lines.findIndex((line) => line.startsWith("    "));
  const message = lines.slice(0, first === -1 ? undefined : first).join("\n");
  return {
    message: message.includes(error) ? message : error,
    frames: first === -1 ? [] : lines.slice(first),
  };
}

/** `    at async MySQLReconciler.reconcile (/project/src/x.ts:40:5)`, or a place without a name. */
const framePattern = /^\s+at (?:(?<name>.+?) \((?<inner>.+)\)|(?:async )?(?<bare>.+))$/u;
const positionPattern = /^(?:file:\/\/)?(?<path>.+:\d+:\d+)$/u;

/** A frame of a stack: the function, if it has a name, and the place in the sources. */
interface Frame {
  readonly name?: string | undefined;
  readonly place: string;
}

/** Parses a frame of the project's own code; undefined for other frames and lines. */
function parseOwnFrame(line: string, root: string | undefined): Frame | undefined {
  const { name, inner, bare } = framePattern.exec(line)?.groups ?? {};
  const path = positionPattern.exec(inner ?? bare ?? "")?.groups?.["path"];
  if (path === undefined || path.startsWith("node:") || /[/\\]node_modules[/\\]/u.test(path))
    return undefined;
  const isBelow = root !== undefined && path.startsWith(root) && /^[/\\]/u.test(path.slice(root.length));
  return { name, place: isBelow ? path.slice(root.length + 1) : path };
}
