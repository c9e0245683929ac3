import { createHash } from "node:crypto";
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

/** Makes an npm tarball: gzipped ustar, with all files in `package/`. Equal files make equal bytes: no time, no owner, sorted. */
export function writeTarball(files: readonly PackedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => compareText(a.path, b.path));
  const blocks = sorted.flatMap((file) => [headerOf(file), padToBlock(file.content)]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 });
}

/** Some npm tools reject files dated before 1980; npm itself writes this date. */
const modificationTime = Date.UTC(1985, 9, 26, 8, 15) / 1000;

/** The fields of a ustar header that we write: where each begins, and its length in bytes. */
const headerFields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  chksum: [148, 8],
  typeflag: [156, 1],
  magicAndVersion: [257, 8],
  prefix: [345, 155],
} as const;

function headerOf(file: PackedFile): Buffer {
  const block = Buffer.alloc(blockSize);
  const { name, prefix } = splitPath(`package/${file.path}`);
  const write = (field: keyof typeof headerFields, text: string) => {
    const [start, length] = headerFields[field];
    block.write(text, start, length);
  };
  const writeNumber = (field: keyof typeof headerFields, value: number) =>
    write(field, `${value.toString(8).padStart(headerFields[field][1] - 1, "0")}\0`);
  write("name", name);
  writeNumber("mode", file.executable ? 0o755 : 0o644);
  writeNumber("uid", 0);
  writeNumber("gid", 0);
  writeNumber("size", file.content.length);
  writeNumber("mtime", modificationTime);
  write("typeflag", "0"); // a regular file
  write("magicAndVersion", "ustar\u000000");
  write("prefix", prefix);
  write("chksum", " ".repeat(8)); // The checksum is calculated with spaces in its own field.
  const sum = block.reduce((total, byte) => total + byte, 0);
  write("chksum", `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** ustar stores 100 bytes of a path as the name and up to 155 before it as the prefix. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= 100) return { name: path, prefix: "" };
  const slash = path.indexOf("/", path.length - 101);
  if (slash === -1 || slash > 155) throw new Error(`path too long for a tarball: "${path}"`);
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) };
}

function padToBlock(content: Uint8Array): Buffer {
  const rest = content.length % blockSize;
  return Buffer.concat([content, Buffer.alloc(rest === 0 ? 0 : blockSize - rest)]);
}

/** No package that we write or read is larger, unpacked. */
const mostBytes = 200_000_000;

/** Reads the files of a ustar tarball. Their paths do not begin with `package/`. Throws if it is damaged, or has no end. */
export function readTarball(bytes: Uint8Array): PackedFile[] {
  const tar = gunzipSync(bytes, { maxOutputLength: mostBytes });
  const files: PackedFile[] = [];
  for (let offset = 0; tar[offset] !== 0;) {
    if (offset >= tar.length) throw new Error("the tarball ends without an empty block");
    const read = (field: keyof typeof headerFields): string => {
      const [start, length] = headerFields[field];
      return tar.toString("utf8", offset + start, offset + start + length).replace(/\0.*$/su, "");
    };
    const [name, prefix] = [read("name"), read("prefix")];
    const path = (prefix === "" ? name : `${prefix}/${name}`).replace(/^package\//u, "");
    const length = Number.parseInt(read("size"), 8);
    if (!(length >= 0)) throw new Error(`the size of "${path}" is not a number`);
    const content = tar.subarray(offset + blockSize, offset + blockSize + length);
    files.push({ path, content, executable: (Number.parseInt(read("mode"), 8) & 0o111) !== 0 });
    offset += blockSize + Math.ceil(length / blockSize) * blockSize;
  }
  return files;
}

/** Returns the hash of a file in hexadecimal, as `sha256sum` prints it. */
export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Reads the files of a folder that are entries or below them, except `node_modules` and compiler state. */
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
