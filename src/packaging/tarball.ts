import { gunzipSync, gzipSync } from "node:zlib";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";

/** A file in a package; `path` is relative to the package's folder, with forward slashes. */
export interface PackedFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly executable?: boolean;
}

const blockSize = 512;

/**
 * Creates an npm tarball: gzipped ustar, with everything in `package/`. It is deterministic: no time, no owner, sorted
 * paths.
 */
export function writeTarball(files: readonly PackedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => compareText(a.path, b.path));
  const blocks = sorted.flatMap((file) => [header(file), padded(file.content)]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 });
}

/** Some npm tools reject files dated before 1980; npm itself writes this date. */
const modified = Date.UTC(1985, 9, 26, 8, 15) / 1000;

function header(file: PackedFile): Buffer {
  const block = Buffer.alloc(blockSize);
  const { name, prefix } = splitPath(`package/${file.path}`);
  // name, mode, uid, gid, size, mtime, chksum, typeflag (a file), magic and version, prefix
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

/** Reads the files of a tarball that `writeTarball()` wrote, without the folder `package/`. */
export function readTarball(bytes: Uint8Array): PackedFile[] {
  const tar = gunzipSync(bytes);
  const files: PackedFile[] = [];
  for (let at = 0; tar[at] !== 0;) {
    const text = (start: number, length: number): string =>
      tar.toString("utf8", at + start, at + start + length).replace(/\0.*$/su, "");
    const [name, mode, size, prefix] = [text(0, 100), text(100, 8), text(124, 12), text(345, 155)];
    const path = (prefix === "" ? name : `${prefix}/${name}`).replace(/^package\//u, "");
    const length = Number.parseInt(size, 8);
    const content = tar.subarray(at + blockSize, at + blockSize + length);
    files.push({ path, content, executable: (Number.parseInt(mode, 8) & 0o111) !== 0 });
    at += blockSize + Math.ceil(length / blockSize) * blockSize;
  }
  return files;
}

/** Reads all files in the given entries of a folder, except `node_modules` and compiler state. */
export function readPackageFiles(folder: string, entries: readonly string[]): PackedFile[] {
  return entries
    .map((entry) => join(folder, entry))
    .filter((path) => existsSync(path))
    .flatMap(listFiles)
    .map((path) => ({
      path: relative(folder, path).split(sep).join("/"),
      content: readFileSync(path),
      executable: (statSync(path).mode & 0o111) !== 0,
    }));
}

/** Reads the sources that declaration maps name. Editors open them to show a definition. */
export function readMappedSources(folder: string, files: readonly PackedFile[]): PackedFile[] {
  const maps = files.filter(({ path }) => path.endsWith(".d.ts.map"));
  const sources = maps.flatMap(({ path, content }) => {
    const map = JSON.parse(Buffer.from(content).toString("utf8")) as { readonly sources: readonly string[] };
    return map.sources.map((source) => join(dirname(path), source));
  });
  return readPackageFiles(folder, [...new Set(sources)].toSorted());
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== "node_modules" && !name.endsWith(".tsbuildinfo"))
    .toSorted()
    .flatMap((name) => listFiles(join(path, name)));
}
