/**
 * The paths of keys that stand twice in one object of a JSON text, as strict decoding names them:
 * `spec.list[0].name`. The text must be valid JSON: `JSON.parse` keeps only the last of two and can't tell.
 */
export function findDuplicateKeys(text: string): string[] {
  const found: string[] = [];
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
        if (frame?.keys && frame.key === undefined) readKey(frame, text.slice(at, end + 1), found);
        at = end;
        break;
      }
    }
  }
  return found;
}

/** An object, which has keys, or an array, which has an index. */
interface Frame {
  readonly path: string;
  readonly keys: Set<string> | undefined;
  key: string | undefined;
  index: number;
}

function readKey(frame: Frame, literal: string, found: string[]): void {
  const key = literal.includes("\\") ? (JSON.parse(literal) as string) : literal.slice(1, -1);
  frame.key = key;
  if (frame.keys!.has(key)) {
    const path = frame.path === "" ? key : `${frame.path}.${key}`;
    if (!found.includes(path)) found.push(path);
  }
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
