import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import { jsonType } from "../http/reply.ts";
import type { Reply } from "../http/request-context.ts";
import type { Pause } from "../http/time-slices.ts";
import type { Entry } from "../storage/entry.ts";

const comma = Buffer.from(",");
const end = Buffer.from("]}");

/** A response with a list, given without items: its last field is an empty array. The items are encoded in slices of time. */
export async function listOfJSON(
  pause: Pause,
  empty: unknown,
  entries: readonly Entry[],
  encodeItem: (entry: Entry) => readonly Buffer[],
): Promise<Reply> {
  const parts: Buffer[] = [Buffer.from(JSON.stringify(empty).slice(0, -end.length))];
  for (const [index, entry] of entries.entries()) {
    if (index > 0) parts.push(comma);
    parts.push(...encodeItem(entry));
    const paused = pause();
    if (paused) await paused;
  }
  parts.push(end);
  return { code: 200, contentType: jsonType, body: parts };
}

/** The same for items that nobody else encoded before. */
export async function listOfValues(
  pause: Pause,
  empty: unknown,
  entries: readonly Entry[],
  valueOf: (entry: Entry) => unknown,
): Promise<Reply> {
  const start = JSON.stringify(empty).slice(0, -end.length);
  const itemOf = (entry: Entry, index: number): string =>
    `${index > 0 ? "," : ""}${JSON.stringify(valueOf(entry))}`;
  const body = [Buffer.from(start), ...(await encodedInSlices(pause, entries, itemOf)), end];
  return { code: 200, contentType: jsonType, body };
}

/** The same in YAML: a list, given without items, and the name of the field that they belong in. */
export async function listOfYAML(
  pause: Pause,
  empty: Readonly<Record<string, unknown>>,
  field: string,
  entries: readonly Entry[],
  valueOf: (entry: Entry) => unknown,
): Promise<Reply> {
  const whole = emitYaml({ ...empty, [field]: [] } as YamlValue);
  const line = `${field}: []\n`;
  const at = whole.startsWith(line) ? 0 : whole.indexOf(`\n${line}`) + 1;
  const [before, after] = [whole.slice(0, at), whole.slice(at + line.length)];
  const first = entries.length === 0 ? line : `${field}:\n`;
  const items = await encodedInSlices(pause, entries, (entry) => emitYaml([valueOf(entry)] as YamlValue));
  return {
    code: 200,
    contentType: "application/yaml",
    body: [Buffer.from(before + first), ...items, Buffer.from(after)],
  };
}

/** Many small buffers would keep the garbage collector busy. */
const pieceLength = 64 * 1024;

async function encodedInSlices(
  pause: Pause,
  entries: readonly Entry[],
  textOf: (entry: Entry, index: number) => string,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const [index, entry] of entries.entries()) {
    text += textOf(entry, index);
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = "";
    }
    const paused = pause();
    if (paused) await paused;
  }
  if (text !== "") pieces.push(Buffer.from(text));
  return pieces;
}
