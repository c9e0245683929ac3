/**
 * The strict decoding errors of a JSON text, in the order of the text: duplicate keys, and the given unknown fields.
 * `JSON.parse` keeps the last of two keys and does not report duplicates.
 */
export function findFieldProblems(text: string, unknown: readonly string[]): string[] {
  const left = new Set(unknown);
  const found: string[] = [];
  const onKey = (path: string, isDuplicate: boolean) => {
    if (left.delete(path)) found.push(`unknown field ${JSON.stringify(path)}`);
    else if (isDuplicate) found.push(`duplicate field ${JSON.stringify(path)}`);
  };
  walkKeys(text, onKey);
  const rest = [...left].map((path) => `unknown field ${JSON.stringify(path)}`);
  return [...new Set([...found, ...rest])];
}

function walkKeys(text: string, onKey: (path: string, isDuplicate: boolean) => void): void {
  const frames: Frame[] = [];
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        frames.push({ path: childPath(frame), keys: new Set(), key: undefined, index: 0 });
        break;
      case 0x5b: // [
        frames.push({ path: childPath(frame), keys: undefined, key: undefined, index: 0 });
        break;
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop();
        break;
      case 0x2c: // ,
        if (frame!.keys) frame!.key = undefined;
        else frame!.index++;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (frame?.keys && frame.key === undefined) readKey(frame, text.slice(at, end + 1), onKey);
        at = end;
        break;
      }
    }
  }
}

/** An open object with its keys, or an open array with its index. */
interface Frame {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  key: string | undefined;
  index: number;
}

function readKey(frame: Frame, literal: string, onKey: (path: string, isDuplicate: boolean) => void): void {
  const key = literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  frame.key = key;
  const path = frame.path === "" ? key : `${frame.path}.${key}`;
  onKey(path, frame.keys!.has(key));
  frame.keys!.add(key);
}

function childPath(frame: Frame | undefined): string {
  if (!frame) return "";
  if (!frame.keys) return `${frame.path}[${frame.index}]`;
  return frame.path === "" ? frame.key! : `${frame.path}.${frame.key!}`;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
