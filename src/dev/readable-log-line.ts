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

/** A line of the operator's JSON log for people: its time of day, and level, message and key=value; undefined for other lines. */
export function readableLogLine(line: string): { readonly time: string; readonly text: string } | undefined {
  const fields = parseFields(line);
  if (!fields) return undefined;
  const { level, ts, msg } = fields;
  const time = typeof ts === "string" ? (/T(\d\d:\d\d:\d\d)/.exec(ts)?.[1] ?? "") : "";
  const rest = Object.entries(fields)
    .filter(([name, value]) => !leftOut.has(name) && !isReference(value))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return { time, text: [(typeof level === "string" ? level : "").padEnd(5), msg, ...rest].join(" ") };
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
  if (typeof value !== "object" || value === null) return false;
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => name === "name" || name === "namespace");
}
