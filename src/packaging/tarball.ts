import { compareText } from "@tsbuilder/apimachinery/text";
import { gzipSync } from "node:zlib";

/** A file in a package; `path` is relative to the package's folder, with forward slashes. */
export interface PackedFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable?: boolean;
}

/**
 * Creates an npm tarball: gzipped ustar, with everything in `package/`. It is deterministic: no time, no owner, sorted
 * paths.
 */
export function writeTarball(files: readonly PackedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => compareText(a.path, b.path));
  const blocks = sorted.flatMap((file) => [header(file), padded(file.content)]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 });
}

const blockSize = 512;

/** Some npm tools reject files dated before 1980; npm itself writes this date. */
const modified = Date.UTC(1985, 9, 26, 8, 15) / 1000;

function header(file: PackedFile): Buffer {
  const block = Buffer.alloc(blockSize);
  const { name, prefix } = splitPath(`package/${file.path}`);
  block.write(name, 0, 100);
  block.write(octal(file.executable ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(file.content.length, 12), 124);
  block.write(octal(modified, 12), 136);
  block.write("        ", 148); // The checksum is calculated with spaces in its own field.
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** ustar stores 100 bytes of a path as the name and up to 155 before it as the prefix. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  const slash = path.indexOf("/", path.length - 101);
  if (slash === -1 || slash > 155) throw new Error(`path too long for a tarball: "${path}"`);
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

function padded(content: Uint8Array): Buffer {
  const rest = content.length % blockSize;
  return Buffer.concat([content, Buffer.alloc(rest === 0 ? 0 : blockSize - rest)]);
}
